import RebindFiles

/// The values of the words that a search path may contain. The corresponding words are `$ORIGIN`,
/// `$LIB` and `$PLATFORM`.
struct LoaderTokens {
  /// Which `$ORIGIN` counts in a search path.
  enum Origin {
    case any
    /// glibc, for libraries of a program with others' rights: one that a path begins with.
    case first
    /// glibc, for the program itself: the path also has to be in a folder that the loader trusts.
    case trusted
    /// musl, for that program: a search path with one is none.
    case none
  }

  let kind: LoaderKind
  let root: Sysroot
  /// Nil if it is not known.
  let library: String?
  /// Nil if it is not known.
  let platform: String?
  /// The loader's own folders, as paths outside of the root folder.
  let trusted: [FilePath]

  /// The folders of a search path, as paths outside of the root folder.
  ///
  /// - Parameters:
  ///   - separators: Separates two of them.
  ///   - origin: The folder of the image that states the path.
  ///   - counting: Which `$ORIGIN` counts.
  func folders(
    _ path: String, separators: String = ":", origin: FilePath, counting: Origin = .any
  ) -> [(entry: String, folder: FilePath)] {
    // musl drops a path with a word that it does not know.
    if kind == .musl, path.contains("$") {
      if counting == .none { return [] }
      let known = path.replacing("${ORIGIN}", with: "").replacing("$ORIGIN", with: "")
      if known.contains("$") { return [] }
    }
    return path.split(omittingEmptySubsequences: kind == .musl) { separators.contains($0) }
      .compactMap { entry in
        expand(String(entry), origin: origin, counting: counting).map { (String(entry), $0) }
      }
  }

  /// The folders of `LD_LIBRARY_PATH`, in which musl replaces no words.
  func environment(_ path: String, origin: FilePath) -> [(entry: String, folder: FilePath)] {
    if kind == .glibc { return folders(path, separators: ":;", origin: origin) }
    return path.split { $0 == ":" || $0 == "\n" }
      .map { (String($0), root.outside(FilePath(String($0)))) }
  }

  /// True if a word of it would be replaced.
  func hasWord(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "$"), takeWord(&rest) != nil { return true }
    }
    return false
  }

  /// The path outside of the root folder that a text stands for; nil if a word in it stands for
  /// nothing here. The empty one is the current folder.
  func expand(_ text: String, origin: FilePath, counting: Origin = .any) -> FilePath? {
    if text.isEmpty { return FilePath(".") }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    let slash = UInt8(ascii: "/")
    // The origin itself is outside already.
    var isOutside = false
    while let byte = rest.first {
      rest = rest.dropFirst()
      guard byte == UInt8(ascii: "$"), let word = takeWord(&rest) else {
        bytes.append(byte)
        continue
      }
      switch word {
      case .origin:
        let isFirst = bytes.isEmpty && (rest.first ?? slash) == slash
        if counting != .any, !isFirst { return nil }
        isOutside = isOutside || bytes.isEmpty
        bytes += origin.bytes
      case .library:
        guard let library else { return nil }
        bytes += Array(library.utf8)
      case .platform:
        guard let platform else { return nil }
        bytes += Array(platform.utf8)
      }
    }
    if isOutside, counting == .trusted, !isTrusted(bytes) { return nil }
    // Slashes at the end are dropped.
    while bytes.count > 1, bytes.last == slash { bytes.removeLast() }
    return isOutside ? FilePath(bytes) : root.outside(FilePath(bytes))
  }

  /// True if a path is one of the loader's own folders or in one, by its spelling without `.` and
  /// `..`. The corresponding function is glibc's `is_trusted_path_normalize`.
  private func isTrusted(_ path: [UInt8]) -> Bool {
    var parts: [ArraySlice<UInt8>] = []
    for part in path.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    let plain = FilePath(parts.flatMap { [UInt8(ascii: "/")] + $0 })
    return trusted.contains { plain.isInside($0) }
  }

  private enum Word: String, CaseIterable {
    case origin = "ORIGIN"
    case library = "LIB"
    case platform = "PLATFORM"
  }

  /// Takes a word from behind a dollar sign: with braces, or where no further letter follows.
  private func takeWord(_ rest: inout ArraySlice<UInt8>) -> Word? {
    let hasBrace = rest.first == UInt8(ascii: "{")
    let start = hasBrace ? rest.dropFirst() : rest
    for word in kind == .musl ? [Word.origin] : Word.allCases
    where start.starts(with: word.rawValue.utf8) {
      let behind = start.dropFirst(word.rawValue.utf8.count)
      if hasBrace, behind.first == UInt8(ascii: "}") {
        rest = behind.dropFirst()
        return word
      }
      // musl looks at nothing behind the word.
      if !hasBrace, kind == .musl || !(behind.first.map(Self.isLetter) ?? false) {
        rest = behind
        return word
      }
    }
    return nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    let character = Unicode.Scalar(byte)
    return character == "_" || ("0"..."9").contains(character) || ("a"..."z").contains(character)
      || ("A"..."Z").contains(character)
  }
}
