internal import Rebind
internal import Synchronization

/// The image that an address is in, and the hold that keeps it loaded.
///
/// Looking for it takes all images, and holding it asks the loader. So both are kept by the address
/// for as long as the image is certain to be there: while somebody has the hold, or for good.
struct HeldImage: Sendable {
  let image: Image
  /// Nil if the image cannot be held.
  let hold: ImageHold?

  /// Nil if no image has the address.
  static func containing(_ address: UInt) -> HeldImage? {
    if let known = known.withLock({ $0[address]?.held }) { return known }
    guard let image = try? Image.containing(address) else { return nil }
    let hold = try? ImageHold(image)
    if let hold { known.withLock { $0[address] = Known(image, hold) } }
    return HeldImage(image: image, hold: hold)
  }

  private struct Known {
    let image: Image
    weak var hold: ImageHold?
    /// The same, of an image that is never unloaded.
    let holdForGood: ImageHold?

    init(_ image: Image, _ hold: ImageHold) {
      self.image = image
      self.hold = hold
      holdForGood = hold.isForGood ? hold : nil
    }

    var held: HeldImage? { hold.map { HeldImage(image: image, hold: $0) } }
  }

  /// One place a call's image, so few.
  private static let known = Mutex<[UInt: Known]>([:])
}
