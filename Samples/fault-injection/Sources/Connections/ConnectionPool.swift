import Foundation
import Synchronization

/// A connection that could not be made.
public struct CannotConnect: Error {
  public let errno: CInt
}

/// Connections to a server on this machine, kept for the next one who asks.
public final class ConnectionPool: Sendable {
  private let port: UInt16
  private let limit: Int
  private let idle = Mutex<[CInt]>([])

  /// - Parameter limit: The most connections that are kept while nobody has them.
  public init(port: UInt16, limit: Int) { (self.port, self.limit) = (port, limit) }

  // Mended: the connections outlived their pool.
  deinit { for connection in idle.withLock({ $0 }) { close(connection) } }

  /// A connection, as a descriptor: one that is idle, or a new one.
  public func take() throws -> CInt {
    if let connection = idle.withLock({ $0.popLast() }) { return connection }
    let connection = socket(AF_INET, streamSocket, 0)
    guard connection >= 0 else { throw CannotConnect(errno: errno) }
    guard connectToServer(connection) == 0 else {
      let reason = errno
      // Mended: a connection that the server refused stayed open.
      close(connection)
      throw CannotConnect(errno: reason)
    }
    return connection
  }

  /// Takes a connection back.
  public func giveBack(_ connection: CInt) {
    let isKept = idle.withLock { idle in
      guard idle.count < limit else { return false }
      idle.append(connection)
      return true
    }
    // Mended: one too many was forgotten.
    if !isKept { close(connection) }
  }

  private func connectToServer(_ connection: CInt) -> CInt {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// SOCK_STREAM, whose type differs between systems.
private let streamSocket: CInt = 1
