/// An error in reading annotations, or in getting the types and instances behind them.
public enum AnnotationError: Error, Sendable {
  /// The kinds of answers that an annotation's accessor can give.
  ///
  /// The corresponding C type is `enum rebind_request`.
  public enum Request: UInt32, Sendable, Hashable {
    /// A Swift type.
    case type = 1
    /// A new instance.
    case instance = 2
    /// A C pointer.
    case pointer = 3
  }

  /// The images could not be looked at.
  case images(RebindError)
  /// An image has bytes in its section that are no record.
  case fault(AnnotationFault)
  /// Two annotations of a group have the same key.
  case duplicate(AnnotationRegistry.Entry, AnnotationRegistry.Entry)
  /// The group has no such key.
  case unknownKey(String, group: String)
  /// The entry cannot give the type, instance or pointer that was asked for.
  case noAnswer(AnnotationRegistry.Entry, Request)
  /// The entry is of another type.
  case wrongType(AnnotationTypeMismatch)
  /// Creating each of these needs the next one, and the last one is the first one.
  case cycle([String])
  /// The function that was registered to create the instance has thrown.
  case creation(AnnotationRegistry.Entry, any Error)
  /// The configuration names a key twice, or one that is empty: the file, if it is from one,
  /// and where in it.
  case configuration(file: String, path: String, reason: String)
}

extension AnnotationError: CustomStringConvertible {
  /// The failure, its place and cause, and a remedy.
  public var description: String {
    switch self {
    case .images(let error): return error.description
    case .fault(let fault):
      return "\(fault); read what is readable with a lenient registry"
    case .duplicate(let first, let second):
      return "\(first.group)/\(first.key) is declared twice: \(first.source), and "
        + "\(second.source)"
    case .unknownKey(let key, let group): return "unknown key: \(group)/\(key)"
    case .noAnswer(let entry, let request):
      let hint =
        request == .instance
        ? ": an annotated type gives instances if it conforms to AnnotationCreatable" : ""
      return "\(entry) has no \(request) to give\(hint)"
    case .wrongType(let mismatch): return mismatch.description
    case .cycle(let keys):
      return "a cycle: \(keys.joined(separator: " needs "))"
    case .creation(let entry, let error): return "cannot create \(entry): \(error)"
    case .configuration(let file, let path, let reason):
      return [file, path, reason].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }
}

extension AnnotationError.Request: CustomStringConvertible {
  /// `type`, `instance` or `pointer`.
  public var description: String {
    switch self {
    case .type: "type"
    case .instance: "instance"
    case .pointer: "pointer"
    }
  }
}
