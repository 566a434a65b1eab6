import Foundation

/// An object of JSON, as docc writes its pages and its navigator.
typealias Object = [String: Any]

/// A failure in words for the person who runs the script.
struct Fault: Error, CustomStringConvertible {
  let description: String
}

/// Reads and writes objects of JSON.
enum JSON {
  static func read(_ data: Data) throws -> Object {
    guard let object = try JSONSerialization.jsonObject(with: data) as? Object else {
      throw Fault(description: "no object of JSON")
    }
    return object
  }

  /// The keys are sorted, so that the same sources give the same files.
  static func write(_ object: Object, to file: URL) throws {
    try JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes]
    ).write(to: file)
  }
}

extension Object {
  /// The object at a key, or an empty one.
  subscript(object key: String) -> Object {
    get { self[key] as? Object ?? [:] }
    set { self[key] = newValue }
  }

  /// The objects of the array at a key, or none.
  subscript(objects key: String) -> [Object] {
    get { self[key] as? [Object] ?? [] }
    set { self[key] = newValue }
  }

  subscript(string key: String) -> String? { self[key] as? String }
}
