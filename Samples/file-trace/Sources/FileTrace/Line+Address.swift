import Glibc

extension Line {
  /// Appends a socket's address: `127.0.0.1:80`, `[::1]:80`, or the path of a local one.
  mutating func append(address: UnsafePointer<sockaddr>?, size: socklen_t) {
    guard let address, size >= MemoryLayout<sa_family_t>.size else { return }
    let memory = UnsafeRawBufferPointer(start: address, count: Int(size))
    switch CInt(address.pointee.sa_family) {
    case AF_INET where memory.count >= MemoryLayout<sockaddr_in>.size:
      let address = memory.loadUnaligned(as: sockaddr_in.self)
      append(host: address.sin_addr, family: AF_INET)
      append(port: address.sin_port)
    case AF_INET6 where memory.count >= MemoryLayout<sockaddr_in6>.size:
      let address = memory.loadUnaligned(as: sockaddr_in6.self)
      append("[")
      append(host: address.sin6_addr, family: AF_INET6)
      append("]")
      append(port: address.sin6_port)
    case AF_UNIX:
      append(localPath: memory.dropFirst(MemoryLayout<sa_family_t>.size))
    default:
      append("family ")
      append(Int(address.pointee.sa_family))
    }
  }

  private mutating func append<Host>(host: Host, family: CInt) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      _ = withUnsafePointer(to: host) {
        inet_ntop(family, $0, text.baseAddress, socklen_t(text.count))
      }
      append(text: text.baseAddress)
    }
  }

  private mutating func append(port: in_port_t) {
    append(":")
    append(Int(UInt16(bigEndian: port)))
  }

  /// An abstract name begins with a zero byte, which is written as `@`.
  private mutating func append(localPath: Slice<UnsafeRawBufferPointer>) {
    let isAbstract = localPath.first == 0
    if isAbstract { append("@") }
    let name = isAbstract ? localPath.dropFirst() : localPath.prefix { $0 != 0 }
    for byte in name { append(character: byte) }
  }
}
