import Glibc
import RebindFiles

/// The folder that stands for "/" where libraries are looked for.
package struct Sysroot: Sendable {
  /// Nil for "/" itself.
  private let folder: FilePath?

  init(_ folder: FilePath?) {
    let folder = folder?.resolved ?? folder
    self.folder = folder?.bytes == Array("/".utf8) ? nil : folder
  }

  /// The path outside of what is a path inside, such as one that a file states. A relative one is
  /// not inside.
  func outside(_ path: FilePath) -> FilePath {
    guard let folder, path.isAbsolute else { return path }
    return FilePath(folder.bytes + path.bytes)
  }

  /// The file that a path outside leads to: links of a path in the folder are followed there, so
  /// that an absolute one does not leave it.
  func resolved(_ path: FilePath) -> FilePath {
    // No path is longer, and each of its parts is looked at.
    guard let folder, path.isInside(folder), path.cString.count <= PATH_MAX else { return path }
    let slash = UInt8(ascii: "/")
    var pending = Array(path.bytes.dropFirst(folder.bytes.count).split(separator: slash).reversed())
    var components: [ArraySlice<UInt8>] = []
    var links = 0
    while let component = pending.popLast() {
      if component.elementsEqual(".".utf8) { continue }
      if component.elementsEqual("..".utf8) {
        _ = components.popLast()
        continue
      }
      components.append(component)
      let so = FilePath(folder.bytes + [slash] + Array(components.joined(separator: [slash])))
      guard let target = Self.link(so) else { continue }
      links += 1
      // A circle: opening it will say so.
      if links > Self.mostLinks { return path }
      components.removeLast()
      if target.first == slash { components = [] }
      pending += target.split(separator: slash).reversed()
    }
    return FilePath(folder.bytes + [slash] + Array(components.joined(separator: [slash])))
  }

  /// The number of links that Linux follows.
  private static let mostLinks = 40

  /// The target of a symbolic link; nil if the file is no symbolic link. The corresponding function
  /// is `readlink`.
  private static func link(_ path: FilePath) -> [UInt8]? {
    let room = Int(PATH_MAX)
    let target = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      let length = buffer.withMemoryRebound(to: CChar.self) {
        readlink(path.cString, $0.baseAddress!, room)
      }
      count = max(0, length)
    }
    return target.isEmpty ? nil : target
  }
}
