// What the service keeps while the handset is offline is a push in full, so that it can arrive as if just sent. What
// the rules look for is in columns; the rest of it is one text of JSON, in words of this file's own.

import FoundationEssentials
import HandsetCore

extension HandsetStore {
  func writeKept(_ app: AppID, _ kept: KeptPush?, of handset: HandsetID) throws(StoreError) {
    guard let kept else {
      return try database.run("DELETE FROM kept WHERE handset = ? AND app = ?", .integer(handset.number), .text(app.text))
    }
    let push = kept.push
    // One through a node has none; its request names the node.
    let token: [UInt8] = if case .token(let token) = push.address { token.bytes } else { [] }
    let request = try json(StoredRequest(push), "the push kept for '\(app)'")
    try database.run(
      """
      INSERT OR REPLACE INTO kept (handset, app, push, number, expires, token, request, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      .integer(handset.number), .text(app.text), .text(push.id.description), .count(kept.number),
      .integer(kept.expires.microseconds), .blob(token), .text(request), .blob(push.payload))
  }
}

extension HandsetLoading {
  mutating func readKept() throws(StoreError) {
    let statement = try database.query(
      "SELECT app, push, number, expires, token, request, payload FROM kept WHERE handset = ?", .integer(handset.number))
    defer { statement.reset() }
    while try statement.step() {
      let row = StoredRow(statement: statement, table: "kept")
      do throws(StoreDamage) {
        let app = try readAppID(row, 0)
        let id = try row.value(1, "a push's identifier") { PushID($0) }
        let request = try row.value(5, "a push in JSON") { decode(StoredRequest.self, $0) }
        let token = DeviceToken(bytes: try row.bytes(4)).map(PushAddress.token)
        guard let address = request.node.flatMap({ NodeID(app: app, name: $0) }).map(PushAddress.node) ?? token else {
          throw row.damage(4, "it is no device token")
        }
        guard let push = request.push(id: id, address: address, topic: app, payload: try row.bytes(6)) else {
          throw row.damage(5, "it has words that this version does not know")
        }
        let kept = KeptPush(
          push: push, number: try row.count(2, below: contents.record.nextEvent),
          expires: WallTime(microseconds: try row.integer(3)))
        if isInstalled(app, "kept") { contents.kept[app] = kept }
      } catch {
        damage.append(error)
      }
    }
  }
}

/// What a push asks for, apart from whom it is for and its payload.
private struct StoredRequest: Codable {
  var type: String
  /// Whether its provider chose its identifier; absent is no.
  var hasProviderID: Bool?
  /// The publishing node that it came through.
  var node: String?
  var message: StoredMessage?
  /// A number, or the quotation of what was none.
  var badge: Int?
  var badBadge: String?
  var isSystemSound = false
  var sound: String?
  /// Of a critical sound; with no name it is the system's.
  var criticalVolume: Double?
  var contentAvailable: Bool
  var level: String
  var collapseID: String?
  /// In microseconds; nil for one try.
  var expiration: Int64?
  var priority: Int
  var threadID: String?
  var faults: [StoredFault]

  struct StoredFault: Codable {
    var path: String
    var problem: String
  }

  struct StoredMessage: Codable {
    var title: StoredText?
    var subtitle: StoredText?
    var body: StoredText?
    /// `standard`, `none`, or `localized` with the key.
    var action: String
    var actionKey: String?
  }

  struct StoredText: Codable {
    var literal: String?
    var key: String?
    var arguments: [String]?

    init(_ text: MessageText) {
      switch text {
      case .literal(let literal): self.literal = literal
      case .localized(let key, let arguments): (self.key, self.arguments) = (key, arguments)
      }
    }

    var text: MessageText {
      if let key { .localized(key: key, arguments: arguments ?? []) } else { .literal(literal ?? "") }
    }
  }

  init(_ push: Push) {
    type = push.type.rawValue
    hasProviderID = push.hasProviderID ? true : nil
    if case .node(let id) = push.address { node = id.name }
    if let words = push.message {
      var stored = StoredMessage(
        title: words.title.map(StoredText.init), subtitle: words.subtitle.map(StoredText.init),
        body: words.body.map(StoredText.init), action: "standard")
      switch words.actionTitle {
      case .standard: break
      case .none: stored.action = "none"
      case .localized(let key): (stored.action, stored.actionKey) = ("localized", key)
      }
      message = stored
    }
    switch push.badge {
    case .absent: break
    case .number(let number): badge = number
    case .bad(let quote): badBadge = quote
    }
    switch push.sound {
    case .none: break
    case .system: isSystemSound = true
    case .named(let name): sound = name
    case .critical(let name, let volume): (sound, criticalVolume) = (name, volume)
    }
    contentAvailable = push.contentAvailable
    level = push.level.rawValue
    collapseID = push.collapseID
    if case .at(let time) = push.expiration { expiration = time.microseconds }
    priority = push.priority
    threadID = push.threadID
    faults = push.faults.map { StoredFault(path: $0.path, problem: $0.problem) }
  }

  /// Nil where a word in it is not known.
  func push(id: PushID, address: PushAddress, topic: AppID, payload: [UInt8]) -> Push? {
    guard let type = PushType(rawValue: type), let level = InterruptionLevel(rawValue: level) else { return nil }
    var words: Message?
    if let message {
      let action: ActionTitle
      switch (message.action, message.actionKey) {
      case ("standard", nil): action = .standard
      case ("none", nil): action = .none
      case ("localized", let key?): action = .localized(key: key)
      default: return nil
      }
      words = Message(
        title: message.title?.text, subtitle: message.subtitle?.text, body: message.body?.text, actionTitle: action)
    }
    var push = Push(
      id: id, address: address, topic: topic, type: type, message: words,
      badge: badge.map { .number($0) } ?? badBadge.map { .bad($0) } ?? .absent,
      sound: soundRequest, contentAvailable: contentAvailable,
      level: level, collapseID: collapseID, expiration: expiration.map { .at(WallTime(microseconds: $0)) } ?? .once,
      priority: priority, threadID: threadID, payload: payload,
      faults: faults.map { PayloadFault(path: $0.path, problem: $0.problem) })
    push.hasProviderID = hasProviderID ?? false
    return push
  }

  private var soundRequest: SoundRequest {
    if let criticalVolume { return .critical(name: sound, volume: criticalVolume) }
    return isSystemSound ? .system : sound.map { .named($0) } ?? .none
  }
}
