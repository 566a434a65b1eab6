#if Commands

import FaultVocabulary
import Glibc

/// The results of runs in a file, so that a sweep that was ended goes on where it was. A line for each run, with
/// fields between tabs.
final class SweepLog {
  /// The runs that the file has already.
  private(set) var known: [(run: Sweep.Run, finding: Finding?)] = []
  private let descriptor: Int32
  private let path: String
  private var hasFailed = false

  /// - Parameter words: The folder, the conditions, the faults and the program. A file of others is refused.
  init(_ path: String, words: [String]) throws(RunError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw RunError("\(path): \(String(cString: strerror(errno)))") }
    self.path = path
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunError("\(path) is no plain file: results are kept in one")
    }
    let head = (["rebind-run sweep"] + words).map(Self.escaped).joined(separator: "\t")
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65536)
    while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
      text += bytes[..<count]
    }
    // A line without an end is one that was being written.
    let lines = String(decoding: text, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast()
    guard let first = lines.first else {
      guard text.isEmpty else { throw RunError("\(path) is no file of a sweep") }
      write(head)
      return
    }
    guard first == head else {
      throw RunError("\(path) is of another sweep: \(printable(String(first.prefix(300))))")
    }
    for line in lines.dropFirst() {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescaped)
      guard fields.count >= 3, let rule = Int(fields[0]), let call = UInt64(fields[1]),
        case let finding = Finding(fields: Array(fields[2...])),
        finding != nil || fields[2...] == [""]
      else {
        throw RunError("\(path): a line is damaged: \(printable(String(line.prefix(300))))")
      }
      known.append((Sweep.Run(rule: rule, call: call), finding))
    }
    ftruncate(descriptor, off_t(lines.reduce(0) { $0 + $1.utf8.count + 1 }))
    lseek(descriptor, 0, SEEK_END)
  }

  func append(_ run: Sweep.Run, _ finding: Finding?) {
    let fields = ["\(run.rule)", "\(run.call)"] + (finding?.fields ?? [""])
    write(fields.map(Self.escaped).joined(separator: "\t"))
  }

  private func write(_ line: String) {
    let text = line + "\n"
    guard !hasFailed, Glibc.write(descriptor, text, text.utf8.count) != text.utf8.count else {
      return
    }
    hasFailed = true
    Destination.standardError.write(
      "rebind-run: \(path): results are not kept any more: \(String(cString: strerror(errno)))\n")
  }

  private static func escaped(_ text: some StringProtocol) -> String {
    String(
      text.flatMap { $0 == "\t" ? "\\t" : $0 == "\n" ? "\\n" : $0 == "\\" ? "\\\\" : String($0) })
  }

  private static func unescaped(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for character in text {
      if isEscaped {
        result.append(character == "t" ? "\t" : character == "n" ? "\n" : character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append(character)
      }
    }
    return result
  }
}

extension Finding {
  fileprivate var fields: [String] {
    [kind.rawValue, detail, strike.joined(separator: "\n"), crash.joined(separator: "\n")]
  }

  /// Nil for a run without a finding.
  fileprivate init?(fields: [String]) {
    guard fields.count == 4, let kind = FindingClass(rawValue: fields[0]) else { return nil }
    func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
    self.init(kind: kind, detail: fields[1], strike: lines(fields[2]), crash: lines(fields[3]))
  }
}

#endif
