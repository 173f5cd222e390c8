import HTTP
import HandsetCore

extension Push {
  /// Converts a property list of 2008. It is checked strictly, unlike an APNs payload: the talk promises that a bad badge
  /// is refused, and the reason in an answer helps a client more than an event.
  /// - Parameter id: the port's identifier for it; the protocol has none.
  /// - Throws: 415 if the bytes are no property list, 400 if its content is wrong (rule B2).
  init(
    propertyList bytes: [UInt8], app: AppID, id: PushID, now: WallTime, depth: Int
  ) throws(PublishingRefusal) {
    let value = try PropertyListValue.read(bytes, depth: depth)
    guard case .dictionary(let members) = value else {
      throw .bad("the property list is \(value.kind); expected a dictionary")
    }
    var own = members
    let body: String? = try own.take(.alertBody, "a string that is not empty") { value in
      if case .string(let text) = value, !text.isEmpty { text } else { nil }
    }
    let showsOpenButton: Bool? = try own.take(.showOpenButton, "a boolean") { value in
      if case .boolean(let flag) = value { flag } else { nil }
    }
    if case .integer(0)? = NotificationKey.badge.spellings.lazy.compactMap({ members[$0] }).first {
      throw .bad(
        "a badge is a positive integer here, not 0: the app clears its badge itself, with its own badge message on the "
          + "apps' socket or 'deskbell app badge \(app) 0'")
    }
    let badge: Int? = try own.take(.badge, "an integer of 1 or more") { value in
      if case .integer(let number) = value, number > 0 { Int(exactly: number) } else { nil }
    }
    let sound: String? = try own.take(.sound, "the name of a sound, or default") { value in
      if case .string(let name) = value, !name.isEmpty { name } else { nil }
    }
    if own.count == members.count {
      let names = NotificationKey.allCases.compactMap(\.spellings.first).joined(separator: ", ")
      throw .bad("it says nothing: expected at least one of \(names)")
    }
    if own["aps"] != nil { throw .bad("the key aps is taken: under it the app gets what the known keys say") }
    // The app's payload is the JSON that a provider of today would send, so that an app needs only one parser.
    var aps: [String: JSONValue] = [:]
    aps["badge"] = badge.map { .integer(Int64($0)) }
    aps["sound"] = sound.map { .string($0) }
    aps["alert"] = body.map { .string($0) }
    if showsOpenButton == false {
      // No title of the action button: the single button OK (rule N4).
      var alert: [String: JSONValue] = ["action-loc-key": .null]
      alert["body"] = aps["alert"]
      aps["alert"] = .object(alert)
    }
    var payload = own.mapValues(\.json)
    payload["aps"] = .object(aps)
    self.init(
      id: id, token: nil, topic: app,
      message: body.map { Message(body: .literal($0), actionTitle: showsOpenButton == false ? .none : .standard) },
      badge: badge.map { .number($0) } ?? .absent,
      sound: sound.map { $0 == "default" ? .system : .named($0) } ?? .none,
      expiration: .at(now.advanced(by: Policy.defaultExpiration)), payload: JSONValue.object(payload).bytes)
  }
}

extension [String: PropertyListValue] {
  fileprivate mutating func take<Taken>(
    _ key: NotificationKey, _ expected: String, _ read: (PropertyListValue) -> Taken?
  ) throws(PublishingRefusal) -> Taken? {
    let given = key.spellings.filter { self[$0] != nil }
    guard let name = given.first, let value = removeValue(forKey: name) else { return nil }
    if given.count > 1 { throw .bad("\(given.joined(separator: " and ")) are the same key; expected one of them") }
    guard let read = read(value) else { throw .bad("\(name): expected \(expected), got \(value.quote)") }
    return read
  }
}
