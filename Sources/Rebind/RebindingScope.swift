#if os(Linux) && !REBIND_ELSEWHERE
/// The images and slots that a rebinding applies to. The vDSO and the loader are never among them.
///
/// ```swift
/// try Hooks.closing.apply(in: .main) { _ in 0 }
/// try Hooks.closing.apply(in: .matching { $0.name.hasPrefix("libcurl") }) { _ in 0 }
/// try Hooks.closing.apply(in: RebindingScope(.all, excludesSelf: true)) { _ in 0 }
/// ```
///
/// The corresponding C type is `crebind_options`.
public struct RebindingScope: Sendable {
  /// The images.
  enum Selection: Sendable {
    case all
    case main
    case images([Image])
    case matching(@Sendable (Image) -> Bool)
  }

  let selection: Selection
  /// The slots that are changed; with fewer than all kinds, later images of `all` are
  /// served as those of `matching` are.
  public var slotKinds = SlotKinds.all
  /// Leaves out the image that holds Rebind, and those that hold the replacements.
  public var excludesSelf = false
  /// Leaves out the images that are loaded later.
  public var loadedImagesOnly = false
  /// Changes slots and redirects no definition: later images of `all` are served as those
  /// of `matching` are.
  ///
  /// Choose this where no page of a symbol table may be changed, or where code keeps or
  /// compares the addresses that `dlsym` returns. Calls from the constructors of later
  /// images, and through what `dlsym` returns, are not seen then.
  public var slotsOnly = false
  /// Leaves out the images that are sealed (`mseal`) and would have to be changed, and counts
  /// their slots in ``RebindingReport/sealedSlots``, instead of failing with
  /// ``RebindError/Code/sealed``.
  public var skipsSealedImages = false

  /// Selects images and slots: all of them, unless told otherwise.
  ///
  /// - Parameters:
  ///   - scope: The scope to begin with, such as `.main`: what it leaves out stays out.
  ///   - slotKinds: The slots that are changed.
  ///   - excludesSelf: Leaves out the image that holds Rebind, and those that hold the replacements.
  ///   - loadedImagesOnly: Leaves out the images that are loaded later.
  ///   - slotsOnly: Redirects no definition.
  ///   - skipsSealedImages: Leaves out sealed images, and counts their slots.
  public init(
    _ scope: RebindingScope = .all, slotKinds: SlotKinds = .all, excludesSelf: Bool = false,
    loadedImagesOnly: Bool = false, slotsOnly: Bool = false, skipsSealedImages: Bool = false
  ) {
    self = scope
    self.slotKinds.formIntersection(slotKinds)
    self.excludesSelf = scope.excludesSelf || excludesSelf
    self.loadedImagesOnly = scope.loadedImagesOnly || loadedImagesOnly
    self.slotsOnly = scope.slotsOnly || slotsOnly
    self.skipsSealedImages = scope.skipsSealedImages || skipsSealedImages
  }

  private init(selection: Selection) { self.selection = selection }

  /// Every image, loaded now or later: later ones before their constructors run.
  public static let all = Self(selection: .all)
  /// The program.
  public static let main = Self(selection: .main)
  /// These images; one that is no longer loaded is an error.
  public static func images(_ images: [Image]) -> Self { Self(selection: .images(images)) }
  /// The images that the predicate accepts, loaded now or later: later ones before
  /// the dlopen that loads them returns, on the thread that called it.
  ///
  /// The predicate is called once for each image, without our locks; where a constructor
  /// loads an image, the loader has its own meanwhile. It may look at
  /// images, symbols and slots; of the rebinding itself it may use nothing but `original`
  /// and `isActive`.
  public static func matching(_ predicate: @escaping @Sendable (Image) -> Bool) -> Self {
    Self(selection: .matching(predicate))
  }
}

extension RebindingScope: CustomStringConvertible {
  /// `the program, slots jumpSlot`.
  public var description: String {
    var text: String
    switch selection {
    case .all: text = "all images"
    case .main: text = "the program"
    case .images(let images): text = images.map(\.name).joined(separator: ", ")
    case .matching: text = "matching images"
    }
    if slotKinds != .all { text += ", slots \(slotKinds)" }
    if excludesSelf { text += ", without the replacements' own" }
    if loadedImagesOnly { text += ", loaded now" }
    if slotsOnly { text += ", redirecting nothing" }
    if skipsSealedImages { text += ", but for sealed ones" }
    return text
  }
}
#endif
