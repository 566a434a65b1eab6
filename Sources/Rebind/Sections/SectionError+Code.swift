extension SectionError.Code: CustomStringConvertible {
  /// The name of the constant, such as `noSection`; `Code(4711)` for one that this version does not
  /// know.
  public var description: String { Self.names[self] ?? "Code(\(rawValue))" }

  private static let names: [Self: String] = [
    .invalidArgument: "invalidArgument", .noSuchImage: "noSuchImage", .brokenImage: "brokenImage",
    .outOfMemory: "outOfMemory", .busy: "busy", .noSection: "noSection", .notLoaded: "notLoaded",
    .noFile: "noFile", .otherFile: "otherFile", .noSectionHeaders: "noSectionHeaders",
    .brokenFile: "brokenFile", .notReadable: "notReadable", .misaligned: "misaligned",
    .wrongSize: "wrongSize", .unknownStride: "unknownStride", .pointerOutside: "pointerOutside",
    .pointerUnresolved: "pointerUnresolved", .unterminated: "unterminated",
    .otherByteOrder: "otherByteOrder",
  ]
}
