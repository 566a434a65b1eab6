internal import CRebind
public import Rebind

/// An error of a registry: in reading annotations, or in getting the types and instances behind them.
public struct AnnotationRegistryError: Error, Sendable {
  /// A kind of failure. Later versions may add some.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The constant's name, such as `unknownKey`.
    public let rawValue: String

    /// A code with a name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The images could not be looked at: `underlyingError` is a ``/Rebind/RebindError``.
    public static let images = Code(rawValue: "images")
    /// An image has bytes in its section that are no record: the `fault`.
    public static let fault = Code(rawValue: "fault")
    /// Two annotations of a group have the same key: the `entries`.
    public static let duplicate = Code(rawValue: "duplicate")
    /// The group has no such key.
    public static let unknownKey = Code(rawValue: "unknownKey")
    /// The entry cannot give the type, instance or pointer of the `request`.
    public static let noAnswer = Code(rawValue: "noAnswer")
    /// The entry is of another type: the `mismatch`.
    public static let wrongType = Code(rawValue: "wrongType")
    /// Creating each of the keys of `cycle` needs the next one.
    public static let cycle = Code(rawValue: "cycle")
    /// The function that was registered to create the instance has thrown the `underlyingError`.
    public static let creation = Code(rawValue: "creation")
    /// The configuration names a key twice, or one that is empty; or its file cannot be read.
    public static let configuration = Code(rawValue: "configuration")

    /// The name.
    public var description: String { rawValue }
  }

  /// The kinds of answers that an annotation's accessor can give. Later versions may add some.
  ///
  /// The corresponding C type is `enum rebind_request`.
  public struct Request: RawRepresentable, Sendable, Hashable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A Swift type.
    public static let type = Request(rawValue: 1)
    /// A new instance.
    public static let instance = Request(rawValue: 2)
    /// A C pointer.
    public static let pointer = Request(rawValue: 3)
  }

  /// The kind of failure.
  public let code: Code
  /// The group and the key of `unknownKey`, else empty.
  public private(set) var group = "", key = ""
  /// The entries concerned: two of `duplicate`, one of `noAnswer` and `creation`.
  public private(set) var entries: [AnnotationRegistry.Entry] = []
  /// The answer that was asked for; nil but for `noAnswer`.
  public private(set) var request: Request?
  /// The bad record; nil but for `fault`.
  public private(set) var fault: AnnotationFault?
  /// The types; nil but for `wrongType`.
  public private(set) var mismatch: AnnotationTypeMismatch?
  /// The keys, with the first repeated at the end; empty but for `cycle`.
  public private(set) var cycle: [String] = []
  /// The error behind this one; nil but for `images` and `creation`.
  public private(set) var underlyingError: (any Error)?
  /// For `unknownKey`, the group's keys that are nearly the same.
  private var similarKeys: [String] = []
  /// For `configuration`, the file if it is from one, the place in it, and the reason; otherwise
  /// empty.
  public private(set) var file = "", path = "", reason = ""

  private init(_ code: Code) { self.code = code }
}

// MARK: - Kinds

extension AnnotationRegistryError {
  static func images(_ error: RebindError) -> Self {
    var made = Self(.images)
    made.underlyingError = error
    return made
  }

  static func fault(_ fault: AnnotationFault) -> Self {
    var error = Self(.fault)
    error.fault = fault
    return error
  }

  static func duplicate(
    _ first: AnnotationRegistry.Entry, _ second: AnnotationRegistry.Entry
  ) -> Self {
    var error = Self(.duplicate)
    error.entries = [first, second]
    return error
  }

  /// - Parameter keys: The keys that the group has.
  static func unknownKey(_ key: String, group: String, among keys: some Sequence<String>) -> Self {
    var error = Self(.unknownKey)
    error.key = key
    error.group = group
    error.similarKeys = Self.keys(similarTo: key, among: keys)
    return error
  }

  /// The keys with the fewest letters to change, or those that differ only in case; three at most.
  private static func keys(similarTo key: String, among keys: some Sequence<String>) -> [String] {
    let distances = keys.compactMap { other in
      let edits = crebind_name_edits(key.lowercased(), other.lowercased())
      let isSame = key != other && key.lowercased() == other.lowercased()
      return edits > 0 || isSame ? (key: other, edits: edits) : nil
    }
    guard let fewest = distances.map(\.edits).min() else { return [] }
    return Array(distances.filter { $0.edits == fewest }.map(\.key).sorted().prefix(3))
  }

  static func noAnswer(_ entry: AnnotationRegistry.Entry, _ request: Request) -> Self {
    var error = Self(.noAnswer)
    error.entries = [entry]
    error.request = request
    return error
  }

  static func wrongType(_ mismatch: AnnotationTypeMismatch) -> Self {
    var error = Self(.wrongType)
    error.mismatch = mismatch
    return error
  }

  static func cycle(_ keys: [String]) -> Self {
    var error = Self(.cycle)
    error.cycle = keys
    return error
  }

  static func creation(_ entry: AnnotationRegistry.Entry, _ cause: any Error) -> Self {
    var error = Self(.creation)
    error.entries = [entry]
    error.underlyingError = cause
    return error
  }

  package static func configuration(file: String, path: String, reason: String) -> Self {
    var error = Self(.configuration)
    error.file = file
    error.path = path
    error.reason = reason
    return error
  }
}

extension AnnotationRegistryError: CustomStringConvertible {
  /// The failure, its place and cause, and a remedy.
  public var description: String {
    let entry = entries.first.map { "\($0)" } ?? ""
    let cause = underlyingError.map { "\($0)" } ?? ""
    switch code {
    case .images: return cause
    case .fault:
      return "\(fault.map { "\($0)" } ?? ""); read what is readable with a lenient registry"
    case .duplicate:
      let sources = entries.map { "\($0.source)" }.joined(separator: ", and ")
      return entries.first.map { "\($0.group)/\($0.key) is declared twice: \(sources)" } ?? ""
    case .unknownKey:
      let meant =
        similarKeys.isEmpty ? "" : ": did you mean \(similarKeys.joined(separator: " or "))?"
      return "unknown key: \(group)/\(key)\(meant)"
    case .noAnswer:
      let hint =
        request == .instance
        ? ": an annotated type gives instances if it conforms to AnnotationCreatable" : ""
      return "\(entry) has no \(request.map { "\($0)" } ?? "answer") to give\(hint)"
    case .wrongType: return mismatch?.description ?? ""
    case .cycle: return "a cycle: \(cycle.joined(separator: " needs "))"
    case .creation: return "cannot create \(entry): \(cause)"
    default: return [file, path, reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }
}

extension AnnotationRegistryError.Request: CustomStringConvertible {
  /// `type`, `instance` or `pointer`; `Request(4711)` for one that this version does not know.
  public var description: String {
    switch self {
    case .type: "type"
    case .instance: "instance"
    case .pointer: "pointer"
    default: "Request(\(rawValue))"
    }
  }
}
