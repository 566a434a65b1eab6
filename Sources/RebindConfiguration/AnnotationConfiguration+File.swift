public import RebindRegistry

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension AnnotationConfiguration {
  /// Reads a configuration from a file: JSON, or a property list in XML or binary form. The
  /// contents decide which of these it is.
  ///
  /// - Throws: `AnnotationRegistryError.configuration` with the path, and where in the file and why.
  /// - Complexity: O(size of the file).
  public init(contentsOf path: String) throws(AnnotationRegistryError) {
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      self = try Self.decode(data)
    } catch {
      let (place, reason) = description(of: error)
      throw .configuration(file: path, path: place, reason: reason)
    }
  }

  private static func decode(_ data: Data) throws -> Self {
    // JSON begins with a brace, as its top level is an object.
    let first = data.first { !" \t\r\n\u{feff}".utf8.contains($0) }
    if first == UInt8(ascii: "<") || data.starts(with: "bplist".utf8) {
      return try PropertyListDecoder().decode(Self.self, from: data)
    }
    return try JSONDecoder().decode(Self.self, from: data)
  }
}

extension AnnotationRegistry {
  /// Merges a configuration file; see `merge(_:from:)`.
  ///
  /// - Throws: `AnnotationRegistryError.configuration` with the path, and where in the file and why;
  ///   nothing is merged then.
  public func merge(contentsOf path: String) throws(AnnotationRegistryError) {
    try merge(AnnotationConfiguration(contentsOf: path), from: path)
  }
}

/// Where in the file, and what is wrong there.
private func description(of error: any Error) -> (place: String, reason: String) {
  guard let error = error as? DecodingError else { return ("", text(of: error)) }
  switch error {
  case .keyNotFound(let key, let context):
    return (place(context.codingPath + [key]), "is missing")
  case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
    return (place(context.codingPath), "is no \(name(of: type))")
  case .dataCorrupted(let context):
    let detail = context.underlyingError.map { ": \(text(of: $0))" } ?? ""
    var reason = context.debugDescription
    if reason.hasSuffix(".") { reason.removeLast() }
    return (place(context.codingPath), reason + detail)
  @unknown default: return ("", "\(error)")
  }
}

/// `modules[1].priority`.
private func place(_ path: [any CodingKey]) -> String {
  path.reduce(into: "") { place, key in
    if let index = key.intValue {
      place += "[\(index)]"
    } else {
      place += (place.isEmpty ? "" : ".") + key.stringValue
    }
  }
}

/// A type as people who write configurations know it.
private func name(of type: any Any.Type) -> String {
  switch type {
  case is String.Type: "string"
  case is Bool.Type: "true or false"
  case is any FixedWidthInteger.Type: "whole number"
  case is [String: Any].Type: "object"
  case is [Any].Type: "list"
  default: "\(type)"
  }
}

private func text(of error: any Error) -> String {
  guard let error = error as? CocoaError else { return "\(error)" }
  if let detail = error.userInfo["NSDebugDescription"] as? String { return detail }
  return (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
    ?? "\(error)"
}
