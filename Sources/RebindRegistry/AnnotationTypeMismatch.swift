public import Rebind

/// An annotation is of another type than the one that was asked for.
public struct AnnotationTypeMismatch: Sendable, Hashable {
  /// The group and the key: `services/mail`.
  public var key: String
  /// The requested type, with its module; ends in `.Type` if it is a metatype.
  public var expected: String
  /// The type that is there, alike.
  public var found: String
  /// The image that asks.
  public var expectedImage: Image?
  /// The image that the found type is in.
  public var foundImage: Image?
  /// The image of the found type has a copy of the expected one, linked statically: to Swift
  /// they are two types, of the same name.
  public var isOtherCopy: Bool
}

extension AnnotationTypeMismatch: CustomStringConvertible {
  /// The expected type, the one that was found, and its image.
  public var description: String {
    let place = foundImage.map { " in \($0.name)" } ?? ""
    let mismatch = "\(key) is \(found)\(place), which is no \(expected)"
    guard isOtherCopy else { return mismatch }
    let other = expectedImage.map { " and \($0.name)" } ?? " and the program"
    return mismatch + ": \(foundImage?.name ?? "its image")\(other) have a copy each of the "
      + "module that declares it. Link both against one dynamic library with that module, and "
      + "against the product RebindDynamic in place of RebindRegistry"
  }
}
