// Converts a property list of 2008 to a push. It is checked strictly, unlike an APNs payload: the talk promises that a
// bad badge is refused, and the reason in an answer helps a client more than an event.

import HTTP
import HandsetCore

extension Push {
  /// - Parameter id: the port's identifier for it; the protocol has none.
  /// - Throws: 415 if the bytes are no property list, 400 if its content is wrong (rule B2).
  init(
    propertyList bytes: [UInt8], app: AppID, id: PushID, now: WallTime, depth: Int
  ) throws(PublishingRefusal) {
    let publication = try Publication(PropertyListValue.read(bytes, depth: depth))
    self.init(
      id: id, token: nil, topic: app, message: publication.message,
      badge: publication.badge.map { .number($0) } ?? .absent, sound: publication.soundRequest,
      expiration: .at(now.advanced(by: Policy.defaultExpiration)), payload: publication.payload)
  }
}

/// A property list as a notification.
private struct Publication {
  private var body: String?
  private var showsOpenButton: Bool?
  private(set) var badge: Int?
  private var sound: String?
  private var own: [String: PropertyListValue]

  init(_ value: PropertyListValue) throws(PublishingRefusal) {
    guard case .dictionary(let members) = value else {
      throw .bad("the property list is \(value.kind); expected a dictionary")
    }
    own = members
    body = try take(.alertBody, "a string that is not empty") { value in
      if case .string(let text) = value, !text.isEmpty { text } else { nil }
    }
    showsOpenButton = try take(.showOpenButton, "a boolean") { value in
      if case .boolean(let flag) = value { flag } else { nil }
    }
    badge = try take(.badge, "an integer of 0 or more") { value in
      if case .integer(let number) = value, number >= 0 { Int(exactly: number) } else { nil }
    }
    sound = try take(.sound, "the name of a sound, or default") { value in
      if case .string(let name) = value, !name.isEmpty { name } else { nil }
    }
    if own.count == members.count {
      let names = NotificationKey.allCases.compactMap(\.spellings.first).joined(separator: ", ")
      throw .bad("it says nothing: expected at least one of \(names)")
    }
    if own["aps"] != nil { throw .bad("the key aps is taken: under it the app gets what the known keys say") }
  }

  private mutating func take<Value>(
    _ key: NotificationKey, _ expected: String, _ read: (PropertyListValue) -> Value?
  ) throws(PublishingRefusal) -> Value? {
    let given = key.spellings.filter { own[$0] != nil }
    guard let name = given.first, let value = own.removeValue(forKey: name) else { return nil }
    if given.count > 1 { throw .bad("\(given.joined(separator: " and ")) are the same key; expected one of them") }
    guard let read = read(value) else { throw .bad("\(name): expected \(expected), got \(value.quote)") }
    return read
  }

  var message: Message? {
    body.map { Message(body: .literal($0), actionTitle: showsOpenButton == false ? .none : .standard) }
  }

  var soundRequest: SoundRequest {
    switch sound {
    case nil: .none
    case "default": .system
    case let name?: .named(name)
    }
  }

  /// The app's payload: the JSON that a provider of today would send, so that an app needs only one parser.
  var payload: [UInt8] {
    var aps: [String: JSONValue] = [:]
    aps["badge"] = badge.map { .integer(Int64($0)) }
    aps["sound"] = sound.map { .string($0) }
    if showsOpenButton == false {
      // No title of the action button: the single button OK (rule N4).
      var alert: [String: JSONValue] = ["action-loc-key": .null]
      alert["body"] = body.map { .string($0) }
      aps["alert"] = .object(alert)
    } else {
      aps["alert"] = body.map { .string($0) }
    }
    var all = own.mapValues(\.json)
    all["aps"] = .object(aps)
    return JSONValue.object(all).bytes
  }
}
