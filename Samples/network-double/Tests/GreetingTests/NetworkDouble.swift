import Foundation
import RebindTesting

/// Runs `body` while a server on this machine stands in for a host.
///
/// The host's name gets an address that nobody has, and connections to that lead to the
/// server. Other names and addresses are as ever, so several doubles can be active.
///
/// - Parameter reach: `.process` for clients such as `URLSession`, which works on threads
///   of its own.
func withNetworkDouble<Return>(
  of host: String, _ server: LocalServer, reach: Reach<AnyBody> = .task,
  body: nonisolated(nonsending) () async throws -> Return
) async throws -> Return {
  defer { withExtendedLifetime(server) {} }
  let port = server.port
  // 198.18.0.0/15 is set aside for measurements in closed networks.
  let addressOfHost = "198.18.\(port >> 8).\(port & 255)"
  return try await withRebinding(
    "getaddrinfo", reach: reach,
    {
      (
        original, name: UnsafePointer<CChar>?, service: UnsafePointer<CChar>?,
        hints: UnsafePointer<addrinfo>?,
        addresses: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>?
      ) -> CInt in
      guard let name, String(cString: name) == host else {
        return original(name, service, hints, addresses)
      }
      var numericHints = hints?.pointee ?? addrinfo()
      numericHints.ai_family = AF_INET
      numericHints.ai_flags = AI_NUMERICHOST
      return withUnsafePointer(to: numericHints) { hints in
        addressOfHost.withCString { original($0, service, hints, addresses) }
      }
    }
  ) {
    try await withRebinding(
      "connect", reach: reach,
      {
        (original, socket: CInt, address: UnsafePointer<sockaddr>?, size: socklen_t) -> CInt in
        guard let address, address.pointee.sa_family == sa_family_t(AF_INET),
          size == socklen_t(MemoryLayout<sockaddr_in>.size)
        else { return original(socket, address, size) }
        var target = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
        if target.sin_addr.s_addr == inet_addr(addressOfHost) {
          target.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
          target.sin_port = port.bigEndian
        }
        return withUnsafePointer(to: target) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { original(socket, $0, size) }
        }
      }
    ) {
      try await body()
    }
  }
}
