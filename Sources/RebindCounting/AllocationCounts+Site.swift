extension AllocationCounts {
  /// Calls of a function that came by the same way.
  public struct Site: Sendable, Hashable {
    /// The function that was called, such as `malloc`.
    public let function: String
    /// How often it was called from here.
    public let calls: Int
    /// The bytes that these calls asked for.
    public let bytes: Int
    /// The backtrace: the caller first. A function that was inlined has a frame of its own.
    ///
    /// For asynchronous code, these are the frames on the thread's stack. Functions that await others
    /// are not on it.
    public let frames: [Frame]
    /// Whether frames are missing at the end: more than are kept, or those behind code that has neither a
    /// table of frames nor frame pointers.
    public let isCut: Bool
  }

  /// A place in a backtrace.
  public struct Frame: Sendable, Hashable {
    /// The path of the image; empty for the program. Nil for code that is in no image, and for an image that
    /// may have taken the place of an unloaded one meanwhile.
    public let image: String?
    /// The address in the image's file; without an image, in memory.
    public let address: UInt64
    /// The function's name, in readable form; nil if it is not known.
    public let function: String?
    /// The source file; nil if it is not known.
    public let file: String?
    /// The line in the source file; nil if it is not known.
    public let line: Int?
  }
}

extension AllocationCounts.Site: CustomStringConvertible {
  /// The numbers, and a line for each frame. The last frames are only counted if they belong to libraries
  /// that call all code: Swift's, the testing libraries and the C library.
  ///
  /// ```
  /// 3 calls of malloc, 72 bytes
  ///   swift_slowAlloc (libswiftCore.so)
  ///   main.makeNodes(Swift.Int) -> () at main.swift:4 (the program)
  /// ```
  public var description: String { text(frameLimit: frames.count) }

  /// - Parameter frameLimit: The most frames.
  func text(frameLimit: Int) -> String {
    let numbers =
      "\(calls) \(calls == 1 ? "call" : "calls") of \(function)"
      + (bytes > 0 ? ", \(bytes) bytes" : "")
    return ([numbers] + frames.lines(limit: frameLimit, isCut: isCut)).joined(separator: "\n")
  }
}

extension [AllocationCounts.Frame] {
  /// A line for each frame. The last frames are only counted if they belong to libraries that call all code.
  ///
  /// - Parameters:
  ///   - limit: The most frames.
  ///   - isCut: Whether frames are missing at the end.
  package func lines(limit: Int, isCut: Bool) -> [String] {
    let ownEnd = lastIndex { !$0.isOfRuntime }.map { $0 + 1 } ?? count
    let shown = prefix(Swift.min(ownEnd, limit))
    let left = ownEnd - shown.count
    let more = left > 0 ? "  … \(left) more" : isCut ? "  … more that were not kept" : nil
    let ofRuntime = count - ownEnd
    let rest = ofRuntime > 0 ? "  … \(ofRuntime) of the runtime" : nil
    return shown.map { "  \($0)" } + [more, rest].compactMap(\.self)
  }
}

extension AllocationCounts.Frame: CustomStringConvertible {
  /// `main.makeNodes() -> () at main.swift:4 (the program)`, or as much as is known.
  public var description: String {
    let hexadecimal = "0x" + String(address, radix: 16)
    guard let image else { return hexadecimal }
    let name = fileName(image) ?? "the program"
    guard let function else { return "\(name)+\(hexadecimal)" }
    guard let file, let line else { return "\(function) (\(name))" }
    return "\(function) at \(fileName(file) ?? file):\(line) (\(name))"
  }

  /// True for a frame of the libraries that call all code: a thread's start, a task's, a test's.
  package var isOfRuntime: Bool {
    guard let image else { return false }
    // The program's own start has no other caller.
    guard let name = fileName(image) else { return function == "_start" }
    return ["libswift", "libTesting", "lib_Testing", "libXCTest", "libdispatch", "libc.", "ld-"]
      .contains(where: name.hasPrefix)
  }

  fileprivate func fileName(_ path: String) -> String? {
    path.split(separator: "/").last.map(String.init)
  }
}

extension AllocationCounts {
  /// The sites with the most calls.
  var siteLines: [String] {
    guard let sites else { return [] }
    let shown = sites.prefix(10)
    let rest = sites.dropFirst(10)
    var lines = shown.map { $0.text(frameLimit: 16) }
    if !rest.isEmpty {
      lines.append("\(rest.count) more sites with \(rest.reduce(0) { $0 + $1.calls }) calls")
    }
    if callsWithoutSite > 0 {
      lines.append("\(callsWithoutSite) calls of further sites, whose backtraces were not kept")
    }
    return lines
  }
}
