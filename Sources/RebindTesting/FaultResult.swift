/// What a call that is made to fail returns: an integer, `nil` for a NULL pointer,
/// or a floating-point number. Written as a literal.
public struct FaultResult: Sendable, Hashable {
  let word: UInt64
  let number: Double
  let isNumber: Bool
  private let isUsual: Bool

  /// What the function returns when it fails: NULL where it is known to return a pointer,
  /// as `malloc`, `fopen` and `getenv` do, and -1 otherwise.
  public static let usual = FaultResult(-1, isUsual: true)

  private init(_ value: Int, isUsual: Bool) {
    word = UInt64(bitPattern: Int64(value))
    number = 0
    isNumber = false
    self.isUsual = isUsual
  }

  /// The result of a function that returns an integer of any size.
  public init(_ value: Int) { self.init(value, isUsual: false) }

  /// The result of a function that returns a pointer.
  public init(_ pointer: UnsafeRawPointer?) { self.init(Int(bitPattern: pointer)) }

  /// The result of a function that returns a `double`.
  public init(_ number: Double) {
    word = 0
    self.number = number
    isNumber = true
    isUsual = false
  }

  /// The result for one function, which `usual` depends on.
  func result(of function: String) -> FaultResult {
    isUsual && Self.functionsOfPointers.contains(function) ? nil : self
  }

  private static let functionsOfPointers: Set<String> = [
    "malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc",
    "pvalloc", "strdup", "strndup", "fopen", "fopen64", "fdopen", "freopen", "freopen64",
    "tmpfile", "tmpfile64", "popen", "opendir", "fdopendir", "readdir", "readdir64", "fgets",
    "getenv", "secure_getenv", "getcwd", "realpath", "mkdtemp", "dlopen", "dlsym", "setlocale",
    "localtime", "localtime_r", "gmtime", "gmtime_r", "getpwnam", "getpwuid", "getgrnam",
    "getgrgid", "gethostbyname",
  ]
}

extension FaultResult: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int) { self.init(value) }
}

extension FaultResult: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self.init(0) }
}

extension FaultResult: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self.init(value) }
}
