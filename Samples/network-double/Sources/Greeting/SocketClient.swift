import Foundation

/// The first line that a server sends, read with nothing but sockets.
public func firstLine(fromHost host: String, port: UInt16) throws(SocketError) -> String {
  var hints = addrinfo()
  hints.ai_socktype = streamSocket
  var addresses: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(host, "\(port)", &hints, &addresses) == 0, let address = addresses?.pointee
  else { throw .unknownHost }
  defer { freeaddrinfo(addresses) }

  let connection = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
  defer { close(connection) }
  guard connect(connection, address.ai_addr, address.ai_addrlen) == 0 else {
    throw .cannotConnect
  }
  var line: [UInt8] = []
  var byte: UInt8 = 0
  while recv(connection, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
  return String(decoding: line, as: UTF8.self)
}

public enum SocketError: Error {
  case unknownHost
  case cannotConnect
}

/// SOCK_STREAM, whose type differs between systems.
private let streamSocket: CInt = 1
