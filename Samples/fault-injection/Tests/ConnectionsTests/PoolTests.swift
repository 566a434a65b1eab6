import Connections
import Foundation
import RebindTesting
import Testing

/// Every descriptor is closed, and once, however a connection ends. No server is needed.
@Suite(.noDescriptorLeaks) struct PoolTests {
  private let pool = ConnectionPool(port: 80, limit: 2)

  @Test(.failing("connect", returning: 0))
  func connectionsEndWithThePool() throws {
    for _ in 0..<3 { pool.giveBack(try pool.take()) }
  }

  @Test(.failing("connect", returning: 0))
  func oneTooManyIsClosed() throws {
    let connections = try (0..<3).map { _ in try pool.take() }
    connections.forEach(pool.giveBack)
  }

  @Test(.failing("connect", errno: ECONNREFUSED))
  func aRefusedConnectionIsClosed() {
    let error = #expect(throws: CannotConnect.self) { try pool.take() }
    #expect(error?.errno == ECONNREFUSED)
  }
}
