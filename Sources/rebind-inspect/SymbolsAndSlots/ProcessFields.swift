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

extension OutputBuffer {
  /// Appends where an image is, if it is one of a process.
  mutating func append(process: (pid: Int32, loadBias: UInt64)?) {
    guard let process else { return }
    append(key: "pid", number: process.pid)
    append(key: "loadBias", hex: process.loadBias)
  }
}

extension Declaration {
  static let pid = Field<Void>.pid { nil }.declaration
  static let loadBias = Field<Void>.loadBias { nil }.declaration
}

#endif
