/// A plug-in in Swift, of a module named as the tests are: so it has a protocol and a class of
/// the same names as theirs, which are others.

public protocol SharedService: Sendable {}

public final class SharedClass: SharedService {
  public init() {}
}

/// Conforms to what both have.
public final class SharedNumber: CustomStringConvertible, Sendable {
  public let description = "from Swift"
  public init() {}
}

typealias Record = (
  UInt32, UInt32, Int32, UInt32,
  @convention(c) @Sendable (UInt32, UnsafeMutableRawPointer) -> Bool, InlineArray<16, UInt8>
)

@section("rebind_annotations") @used
let sharedRecord: Record = (
  0x3141_4252, 40, 0, 1,
  { request, result in
    switch request {
    case 1: result.initializeMemory(as: Any.Type.self, to: SharedClass.self)
    case 2: result.initializeMemory(as: Any.self, to: SharedClass())
    default: return false
    }
    return true
  },
  // tests, class
  [0x74, 0x65, 0x73, 0x74, 0x73, 0, 0x63, 0x6c, 0x61, 0x73, 0x73, 0, 0, 0, 0, 0]
)

@section("rebind_annotations") @used
let numberRecord: Record = (
  0x3141_4252, 40, -1, 1,
  { request, result in
    guard request == 2 else { return false }
    result.initializeMemory(as: Any.self, to: SharedNumber())
    return true
  },
  // tests, number
  [0x74, 0x65, 0x73, 0x74, 0x73, 0, 0x6e, 0x75, 0x6d, 0x62, 0x65, 0x72, 0, 0, 0, 0]
)
