import FoundationEssentials
import HTTP

/// The contents of `{"aps": {…}, …}` [APNs]. A nil omits its key.
public struct Payload: Sendable, Hashable {
  public var title: String?
  public var subtitle: String?
  public var body: String?
  public var badge: Int?
  public var sound: String?
  public var contentAvailable = false
  public var threadID: String?
  /// `passive`, `active`, `time-sensitive` or `critical`.
  public var interruptionLevel: String?
  public var category: String?
  /// The app's own keys, outside of `aps`.
  public var custom: [String: JSONValue] = [:]

  public init() {}

  /// - Throws: `ProviderClientError.badPayload` if `json` is not one object, or has the key `aps`.
  public mutating func add(customJSON json: String) throws(ProviderClientError) {
    let object = try JSONValue.object(in: Array(json.utf8)) { .badPayload(reason: "the extra keys: " + $0) }
    guard object["aps"] == nil else {
      throw .badPayload(reason: "the key 'aps' is not the app's own; use the options for what it holds")
    }
    custom.merge(object) { _, new in new }
  }

  /// Encodes JSON with sorted keys. A body alone is sent as `"alert": "…"`, with a title or subtitle as an object.
  /// - Throws: `ProviderClientError.badPayload` for a custom number that JSON cannot express.
  public func encoded() throws(ProviderClientError) -> [UInt8] {
    var aps: [String: JSONValue] = [:]
    if title != nil || subtitle != nil {
      var alert: [String: JSONValue] = [:]
      alert["title"] = title.map(JSONValue.string)
      alert["subtitle"] = subtitle.map(JSONValue.string)
      alert["body"] = body.map(JSONValue.string)
      aps["alert"] = .object(alert)
    } else {
      aps["alert"] = body.map(JSONValue.string)
    }
    aps["badge"] = badge.map { .integer(Int64($0)) }
    aps["sound"] = sound.map(JSONValue.string)
    if contentAvailable { aps["content-available"] = .integer(1) }
    aps["thread-id"] = threadID.map(JSONValue.string)
    aps["interruption-level"] = interruptionLevel.map(JSONValue.string)
    aps["category"] = category.map(JSONValue.string)
    var all = custom
    all["aps"] = .object(aps)
    return try JSONValue.object(all).encoded { .badPayload(reason: $0) }
  }
}

extension JSONValue {
  /// - Parameter problem: makes the error of its reason.
  static func object(
    in bytes: [UInt8], _ problem: (String) -> ProviderClientError
  ) throws(ProviderClientError) -> [String: JSONValue] {
    guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(bytes)) else {
      // FoundationEssentials does not report the position.
      throw problem("this is not JSON; 'python3 -m json.tool' shows where the mistake is")
    }
    guard case .object(let object) = value else { throw problem("this is JSON, but no object {…}") }
    return object
  }

  func encoded(_ problem: (String) -> ProviderClientError) throws(ProviderClientError) -> [UInt8] {
    do {
      return try encoded()
    } catch {
      throw problem("it cannot be written as JSON: \(error)")
    }
  }
}
