#if Commands

extension OutputBuffer {
  /// Appends the value's name, at most 16 bytes. The caller has reserved them.
  mutating func append<Term: ELFTerm>(_ term: Term) {
    if let name = term.term {
      append(name)
    } else if let range = Term.osSpecific, range.contains(term.rawValue) {
      append("LOOS+")
      append(decimal: UInt64(term.rawValue - range.lowerBound))
    } else if let range = Term.processorSpecific, range.contains(term.rawValue) {
      append("LOPROC+")
      append(decimal: UInt64(term.rawValue - range.lowerBound))
    } else {
      append("UNKNOWN+")
      append(decimal: UInt64(term.rawValue))
    }
  }
}

#endif
