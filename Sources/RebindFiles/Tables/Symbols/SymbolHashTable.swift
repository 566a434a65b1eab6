import CLibelf
import Glibc
import Rebind

/// The hash tables by which a loader finds a symbol: here, how many symbols they know of.
enum SymbolHashTable {
  /// The number of symbols, the null symbol included, of a table that has them all.
  ///
  /// The corresponding tag is `DT_HASH`, the number its `nchain`.
  static func symbolCount(_ address: UInt64, in file: ELFFile) throws(ELFFileError) -> UInt64 {
    let table = try OpenEndedTable(atAddress: address, in: file, field: "DT_HASH")
    // Two ABIs have words of 64 bits here, but not every linker knows. If the first two words of
    // 32 bits are one of 64, its upper half is zero; if they are nbucket and nchain, neither is.
    let machine = file.reader.machine
    if file.reader.elfClass == .bits64, machine == .s390 || machine == .alpha,
      try table.number(at: 0, as: UInt64.self) <= UInt32.max
    {
      return try table.number(at: 8, as: UInt64.self)
    }
    return UInt64(try table.number(at: 4, as: UInt32.self))
  }

  /// The least number of symbols, the null symbol included, of a table that has only those that
  /// others can bind to: they are the last ones.
  ///
  /// The corresponding tag is `DT_GNU_HASH`.
  static func leastSymbolCount(_ address: UInt64, in file: ELFFile) throws(ELFFileError) -> UInt64 {
    let table = try OpenEndedTable(atAddress: address, in: file, field: "DT_GNU_HASH")
    let bucketCount = Int(try table.number(at: 0, as: UInt32.self))
    let firstHashed = Int(try table.number(at: 4, as: UInt32.self))
    let filterCount = Int(try table.number(at: 8, as: UInt32.self))

    let buckets = 16 + filterCount * file.reader.elfClass.addressSize
    let chains = buckets + 4 * bucketCount
    var last = 0
    for position in stride(from: buckets, to: chains, by: 4) {
      last = max(last, Int(try table.number(at: position, as: UInt32.self)))
    }
    // The table hashes no symbol: all symbols are in front of the first one that it could hash.
    if last == 0 { return UInt64(firstHashed) }
    guard last >= firstHashed else {
      throw table.error("has symbol \(last) in a bucket, its first is \(firstHashed)", at: buckets)
    }
    // A chain ends with a hash whose lowest bit is set.
    while try table.number(at: chains + 4 * (last - firstHashed), as: UInt32.self) & 1 == 0 {
      last += 1
    }
    return UInt64(last) + 1
  }
}
