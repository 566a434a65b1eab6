internal import Rebind

/// Settings for annotations: other values and priorities, keys to disable, and further keys.
///
/// In JSON, and alike in a property list:
///
/// ```json
/// {
///   "modules": [
///     {"key": "Mail", "priority": 100},
///     {"key": "Games", "enabled": false},
///     {"key": "Motto", "value": "declared nowhere else"}
///   ]
/// }
/// ```
public struct AnnotationConfiguration: Sendable, Hashable {
  /// The settings for one key.
  public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: String
    /// The value from now on; nil to leave it.
    public var value: String?
    /// The priority from now on; nil to leave it.
    public var priority: Int?
    /// False to disable the key, true to enable it again; nil to leave it.
    public var isEnabled: Bool?

    /// Makes settings for a key.
    public init(
      key: String, value: String? = nil, priority: Int? = nil, isEnabled: Bool? = nil
    ) {
      self.key = key
      self.value = value
      self.priority = priority
      self.isEnabled = isEnabled
    }
  }

  /// The settings for the keys of each group.
  public var groups: [String: [Entry]]

  /// A configuration of some groups.
  public init(groups: [String: [Entry]] = [:]) { self.groups = groups }
}

extension AnnotationConfiguration: Codable {
  /// Decodes a dictionary from group to entries.
  public init(from decoder: any Decoder) throws {
    groups = try decoder.singleValueContainer().decode([String: [Entry]].self)
  }

  /// Encodes a dictionary from group to entries.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(groups)
  }
}

extension AnnotationConfiguration.Entry: Codable {
  /// Any name, so that an unknown one is found.
  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }

    static let key = Name(stringValue: "key")
    static let value = Name(stringValue: "value")
    static let priority = Name(stringValue: "priority")
    static let enabled = Name(stringValue: "enabled")
    static let all: Set<String> = ["key", "value", "priority", "enabled"]
  }

  /// Decodes `key`, and `value`, `priority` and `enabled` if they are there.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Name.self)
    if let unknown = container.allKeys.map(\.stringValue).sorted().first(where: {
      !Name.all.contains($0)
    }) {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath + [Name(stringValue: unknown)],
          debugDescription: "not known: use key, value, priority or enabled"))
    }
    key = try container.decode(String.self, forKey: .key)
    guard !key.isEmpty else {
      throw DecodingError.dataCorruptedError(
        forKey: .key, in: container, debugDescription: "the key is empty")
    }
    value = try container.decodeIfPresent(String.self, forKey: .value)
    priority = try container.decodeIfPresent(Int.self, forKey: .priority)
    isEnabled = try container.decodeIfPresent(Bool.self, forKey: .enabled)
  }

  /// Encodes the settings that are made.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    try container.encode(key, forKey: .key)
    try container.encodeIfPresent(value, forKey: .value)
    try container.encodeIfPresent(priority, forKey: .priority)
    try container.encodeIfPresent(isEnabled, forKey: .enabled)
  }
}
