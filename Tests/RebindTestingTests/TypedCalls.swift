import RebindTesting
import TestSupport

/// `Tests/Fixtures/typed-calls.c`, loaded into this process: callers whose calls can
/// be rebound.
enum TypedCalls {
  private static let library = Result { try load(RTLD_NOW | RTLD_GLOBAL) }

  /// Builds the library and loads it, as one more if it is loaded already. It stays
  /// loaded; its folder is deleted at once.
  static func load(_ mode: CInt) throws -> UInt {
    let builder = try FixtureBuilder(.clang)
    let file = try builder.buildLibrary(
      "libtyped-calls.so", from: "typed-calls.c", flags: ["-fno-inline", "-O0"])
    let library = try #require(dlopen(file.path, mode))
    return UInt(bitPattern: library)
  }

  /// A function without arguments, or whatever `type` says.
  static func function<Function>(
    _ name: String, as type: Function.Type = Function.self
  ) throws -> Function {
    let library = UnsafeMutableRawPointer(bitPattern: try library.get())
    let address = try #require(dlsym(library, name), "\(name)")
    // The callers below name the functions' C types.
    return unsafeBitCast(address, to: type)
  }

  typealias Int32Caller = @convention(c) () -> CInt
}

struct Pair: CStructure, Equatable {
  var whole: Int32
  var part: Float
  static var cFields: [any CValue.Type] { [Int32.self, Float.self] }
}

struct Rectangle: CStructure, Equatable {
  var x, y, width, height: Double
  static var cFields: [any CValue.Type] { [Double.self, Double.self, Double.self, Double.self] }
}

struct Nested: CStructure {
  var pair: Pair
  var first, second, third: UInt8
  // C counts the padding at the end as part of the structure.
  private var padding: UInt8 = 0
  static var cFields: [any CValue.Type] { [Pair.self, UInt8.self, UInt8.self, UInt8.self] }
}

struct Large: CStructure {
  var values: (Int64, Int64, Int64, Int64, Int64)
  static var cFields: [any CValue.Type] { Array(repeating: Int64.self, count: 5) }
}

struct Misstated: CStructure {
  var first, second: Int32
  static var cFields: [any CValue.Type] { [Int32.self] }
}

struct Colour: RawRepresentable, CValue {
  var rawValue: UInt32
}
