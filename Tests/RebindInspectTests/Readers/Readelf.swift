import TestSupport

/// The dynamic symbols of a file as `readelf --dyn-syms -W` prints them: the independent witness.
func readelfSymbols(_ file: String) throws -> [Symbol] {
  let result = try run("readelf", ["--dyn-syms", "-W", file], environment: ["LC_ALL": "C"])
  return result.output.split(separator: "\n").compactMap(readelfSymbol)
}

/// One line: `Num: Value Size Type Bind Vis Ndx Name`, where the name may be missing, and a note in
/// brackets may stand in front of the index.
private func readelfSymbol(_ line: Substring) -> Symbol? {
  var fields = line.split(separator: " ", maxSplits: 6)
  guard fields.count == 7, let number = Int(fields[0].dropLast()), number > 0,
    let value = UInt64(fields[1], radix: 16)
  else { return nil }
  if fields[6].first == "[", let end = fields[6].firstIndex(of: "]") {
    fields[6] = fields[6][end...].dropFirst().drop { $0 == " " }
  }
  let rest = fields.removeLast().split(separator: " ", maxSplits: 1)
  let sections = ["UND": 0, "ABS": 0xfff1, "COM": 0xfff2]
  let section = sections[String(rest[0])] ?? Int(rest[0]) ?? -1

  // A needed version has its index behind it: `open@GLIBC_2.2.5 (2)`.
  let text = rest.count > 1 ? rest[1].split(separator: " ")[0] : ""
  let parts = text.split(separator: "@", omittingEmptySubsequences: false)
  return Symbol(
    index: number, name: String(parts.first ?? ""),
    version: parts.count > 1 ? String(parts.last!) : nil,
    isDefaultVersion: parts.count > 1 ? parts.count == 3 : nil,
    value: "0x" + String(value, radix: 16), size: size(fields[2]),
    type: String(fields[3]), binding: String(fields[4]), visibility: String(fields[5]),
    sectionIndex: section, isDefined: section != 0)
}

/// Large sizes are printed in hexadecimal.
private func size(_ text: Substring) -> UInt64 {
  text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) ?? 0 : UInt64(text) ?? 0
}
