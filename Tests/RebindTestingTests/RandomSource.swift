import Foundation
import TestSupport

/// A way to random numbers.
enum RandomSource: CaseIterable {
  case int, shuffled, uuid, rand, random, drand48, lrand48, mrand48, getrandom, getentropy
  case arc4random, arc4randomBuffer, arc4randomUniform, device, fileHandle, stream

  func draw() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 12)
    switch self {
    case .int: return "\(Int.random(in: 0...Int.max))"
    case .shuffled: return "\((0..<30).shuffled())"
    case .uuid: return "\(UUID())"
    case .rand: return "\(cRand()) \(cRand())"
    case .random: return "\(Glibc.random()) \(Glibc.random())"
    case .drand48: return "\(Glibc.drand48())"
    case .lrand48: return "\(Glibc.lrand48()) \(Glibc.lrand48())"
    case .mrand48: return "\(Glibc.mrand48()) \(Glibc.mrand48())"
    case .getrandom: try #require(RebindTestingTests.getrandom(&bytes, 12, 0) == 12)
    case .getentropy: try #require(Glibc.getentropy(&bytes, 12) == 0)
    case .arc4random: return "\(cArc4random()) \(cArc4random())"
    case .arc4randomBuffer: cArc4randomBuffer(&bytes, 12)
    case .arc4randomUniform: return "\((0..<20).map { _ in cArc4randomUniform(1000) })"
    case .device:
      let descriptor = open("/dev/urandom", O_RDONLY | O_CLOEXEC)
      defer { close(descriptor) }
      try #require(read(descriptor, &bytes, 12) == 12)
    case .fileHandle:
      let file = try #require(FileHandle(forReadingAtPath: "/dev/random"))
      bytes = Array(try #require(try file.read(upToCount: 12)))
    case .stream:
      let stream = try #require(fopen("/dev/urandom", "re"))
      defer { fclose(stream) }
      try #require(fread(&bytes, 1, 12, stream) == 12)
    }
    return "\(bytes)"
  }
}

// Swift does not import them. Their arguments are passed in the same way.
@_silgen_name("getrandom") func getrandom(
  _ buffer: UnsafeMutableRawPointer?, _ size: Int, _ flags: CUnsignedInt
) -> Int
@_silgen_name("__read_chk") func checkedRead(
  _ descriptor: CInt, _ buffer: UnsafeMutableRawPointer, _ size: Int, _ room: Int
) -> Int
@_silgen_name("rand") private func cRand() -> CInt
@_silgen_name("arc4random") private func cArc4random() -> UInt32
@_silgen_name("arc4random_buf") private func cArc4randomBuffer(
  _ buffer: UnsafeMutableRawPointer, _ size: Int)
@_silgen_name("arc4random_uniform") private func cArc4randomUniform(_ bound: UInt32) -> UInt32
