import Foundation
import Synchronization

/// A server on this machine's loopback address, at a port that is free.
///
/// It answers each connection on its own thread with a text, and closes it.
final class LocalServer: Sendable {
  let port: UInt16
  private let listener: CInt

  /// - Parameter answer: Given the request's first line, or "" if the client speaks
  ///   second.
  init(readsRequests: Bool, answer: @escaping @Sendable (String) -> String) throws {
    let listener = socket(AF_INET, streamSocket, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutableBytes(of: &address) {
      let address = $0.assumingMemoryBound(to: sockaddr.self).baseAddress!
      return bind(listener, address, size) == 0 && listen(listener, 16) == 0
        && getsockname(listener, address, &size) == 0
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        let request = readsRequests ? Self.request(from: connection) : ""
        let text = answer(String(request.prefix { $0 != "\r\n" }))
        _ = text.withCString { send(connection, $0, strlen($0), CInt(MSG_NOSIGNAL)) }
        close(connection)
      }
      close(listener)
    }
  }

  /// Ends the thread's `accept`.
  deinit { shutdown(listener, CInt(SHUT_RDWR)) }

  /// A client's request, up to an empty line.
  private static func request(from connection: CInt) -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.ends(with: "\r\n\r\n".utf8), recv(connection, &byte, 1, 0) == 1 {
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension [UInt8] {
  fileprivate func ends(with suffix: String.UTF8View) -> Bool {
    self.suffix(suffix.count).elementsEqual(suffix)
  }
}

/// SOCK_STREAM, whose type differs between systems.
private let streamSocket: CInt = 1
