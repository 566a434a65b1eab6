/// Settings in a file, a line `name=value` each.
///
/// A reader sees the old settings or the new ones, whatever happens while they are saved.
public struct SettingsFile: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  public func load() throws(SystemError) -> [String: String] {
    var settings: [String: String] = [:]
    for line in String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
    }
    return settings
  }

  public func save(_ settings: [String: String]) throws(SystemError) {
    let lines = settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)\n" }
    try replaceFile(path, with: Array(lines.joined().utf8))
  }
}
