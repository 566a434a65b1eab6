import Rebind
import RebindFiles

/// The checks that a file's compiler put in, by the names of its symbols.
struct CheckedNames {
  var hasStackProtector = false
  var fortified: [String] = []
  var fortifiable: [String] = []

  /// Nil if the file has no symbols to tell by. A file without a dynamic table shows its calls only
  /// in the linker's symbol table.
  init?(of file: ELFFile, _ kind: FileHardening.Kind) throws(ELFFileError) {
    guard let table = try Self.table(of: file) else { return nil }
    let isDynamic = table.isDynamic
    let fortifiable = Set(Self.fortifiable.description.split(separator: " ").map(String.init))
    for index in table.symbols.indices {
      let symbol = table.symbols[index]
      let bytes = table.symbols.name(of: symbol).prefix(Self.longest + 1)
      guard let end = bytes.firstIndex(of: 0) else { continue }
      // Cheap for the many: all names of checks start so.
      if bytes.first == 0x5f {
        let name = String(decoding: bytes[..<end], as: UTF8.self)
        if Self.stackProtectors.contains(name) { hasStackProtector = true }
        if !isDynamic || !symbol.isDefined, Self.isCheck(name, fortifiable) {
          fortified.append(name)
        }
      } else if !symbol.isDefined || !isDynamic, symbol.type != .file {
        let name = String(decoding: bytes[..<end], as: UTF8.self)
        if fortifiable.contains(name) { self.fortifiable.append(name) }
      }
    }
    fortified = Array(Set(fortified)).sorted()
    self.fortifiable = Array(Set(self.fortifiable)).sorted()
  }

  /// Whether functions check their stack; nil if it cannot be told: all that a static program is
  /// linked with has one function for failed checks.
  func hasStackProtector(of kind: FileHardening.Kind) -> Bool? {
    let isStatic = kind == .staticProgram || kind == .staticPositionIndependentProgram
    return isStatic && hasStackProtector ? nil : hasStackProtector
  }

  private static func table(
    of file: ELFFile
  ) throws(ELFFileError) -> (symbols: SymbolTable, isDynamic: Bool)? {
    if let symbols = try SymbolTable(of: file), symbols.count > 1 { return (symbols, true) }
    return try SymbolTable(ofLinkersIn: file).map { ($0, false) }
  }

  /// No name that is looked for is longer.
  private static let longest =
    (stackProtectors + fortifiable.description.split(separator: " ").map { "__\($0)_chk" })
    .reduce(0) { max($0, $1.utf8.count) }

  private static let stackProtectors: Set<String> = [
    "__stack_chk_fail", "__stack_chk_fail_local", "__stack_chk_guard", "__intel_security_cookie",
  ]

  /// `__memcpy_chk`, `__open_2`, and those that are named otherwise.
  private static func isCheck(_ name: String, _ fortifiable: Set<String>) -> Bool {
    if name.hasPrefix("__"), name.hasSuffix("_chk") {
      return fortifiable.contains(String(name.dropFirst(2).dropLast(4)))
        || ["__fdelt_chk", "____longjmp_chk", "__vfprintf_chk"].contains(name)
    }
    return ["__open_2", "__open64_2", "__openat_2", "__openat64_2", "__mq_open_2"].contains(name)
  }

  /// The functions that glibc has a check for.
  private static let fortifiable: StaticString = """
    asprintf confstr dprintf explicit_bzero fgets fgets_unlocked fgetws fgetws_unlocked fprintf \
    fread fread_unlocked fwprintf getcwd getdomainname getgroups gethostname getlogin_r gets getwd \
    longjmp mbsnrtowcs mbsrtowcs mbstowcs memcpy memmove mempcpy memset obstack_printf \
    obstack_vprintf poll ppoll pread pread64 printf ptsname_r read readlink readlinkat realpath recv \
    recvfrom snprintf sprintf stpcpy stpncpy strcat strcpy strncat strncpy strlcat strlcpy swprintf \
    syslog ttyname_r vasprintf vdprintf vfprintf vfwprintf vprintf vsnprintf vsprintf vswprintf \
    vsyslog vwprintf wcpcpy wcpncpy wcrtomb wcscat wcscpy wcslcat wcslcpy wcsncat wcsncpy \
    wcsnrtombs wcsrtombs wcstombs wctomb wmemcpy wmemmove wmempcpy wmemset wprintf
    """
}
