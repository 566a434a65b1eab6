extension RebindError.Code: CustomStringConvertible {
  /// The name of the constant, such as `staticExecutable`; `Code(4711)` for one that this version
  /// does not know.
  public var description: String { Self.names[self] ?? "Code(\(rawValue))" }

  private static let names: [Self: String] = [
    .invalidArgument: "invalidArgument", .duplicateName: "duplicateName",
    .noSuchImage: "noSuchImage", .staticExecutable: "staticExecutable",
    .brokenImage: "brokenImage", .outOfMemory: "outOfMemory", .protection: "protection",
    .busy: "busy", .predicateRuns: "predicateRuns", .sealed: "sealed", .leftOpen: "leftOpen",
    .covered: "covered", .notTakenBack: "notTakenBack", .undefined: "undefined",
    .unreached: "unreached", .emptyName: "emptyName", .alreadyActive: "alreadyActive",
    .notActive: "notActive", .partOfBatch: "partOfBatch",
    .otherConvention: "otherConvention",
  ]
}
