#if Commands

/// The fields of an image of a process, which several subcommands show.
extension Field {
  static func pid(
    when presence: Presence = .ofProcess, _ pid: @escaping @Sendable (Row) -> Int32?
  ) -> Field {
    Field("pid", .index, "the number of the process", when: presence) {
      pid($0).map { .number($0) }
    }
  }

  static func loadBias(
    when presence: Presence = .ofProcess, _ loadBias: @escaping @Sendable (Row) -> UInt64?
  ) -> Field {
    Field(
      "loadBias", .hex, "its run-time address minus its link-time address",
      when: presence
    ) { loadBias($0).map { .hex($0) } }
  }
}

extension Declaration {
  static let pid = Field<Void>.pid { nil }.declaration
  static let loadBias = Field<Void>.loadBias { nil }.declaration
}

#endif
