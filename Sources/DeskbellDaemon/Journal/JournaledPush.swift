// A push, and the node that it may have come through, in a journal of inputs.

import FoundationEssentials
import HandsetCore

/// A publishing node's name.
struct JournaledNode: Codable {
  var app: AppID
  var name: String

  init(_ id: NodeID) {
    (app, name) = (id.app, id.name)
  }

  /// - Throws: `DecodingError` where no node can be called so.
  func id() throws -> NodeID {
    guard let id = NodeID(app: app, name: name) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "'\(name)' is no name of a node"))
    }
    return id
  }
}

/// Absent fields are as a push without them.
struct JournaledPush: Codable {
  enum Text: Codable {
    case literal(text: String)
    case localized(key: String, arguments: [String])

    init(_ text: MessageText) {
      self =
        switch text {
        case .literal(let text): .literal(text: text)
        case .localized(let key, let arguments): .localized(key: key, arguments: arguments)
        }
    }

    var text: MessageText {
      switch self {
      case .literal(let text): .literal(text)
      case .localized(let key, let arguments): .localized(key: key, arguments: arguments)
      }
    }
  }

  enum Action: Codable {
    case standard, none
    case localized(key: String)

    init(_ title: ActionTitle) {
      self =
        switch title {
        case .standard: .standard
        case .localized(let key): .localized(key: key)
        case .none: .none
        }
    }

    var title: ActionTitle {
      switch self {
      case .standard: .standard
      case .localized(let key): .localized(key: key)
      case .none: .none
      }
    }
  }

  struct Words: Codable {
    var title: Text?
    var subtitle: Text?
    var body: Text?
    var action: Action

    init(_ message: Message) {
      title = message.title.map(Text.init)
      subtitle = message.subtitle.map(Text.init)
      body = message.body.map(Text.init)
      action = Action(message.actionTitle)
    }

    var message: Message {
      Message(title: title?.text, subtitle: subtitle?.text, body: body?.text, actionTitle: action.title)
    }
  }

  enum Badge: Codable {
    case number(value: Int)
    case bad(quote: String)
  }

  enum Sound: Codable {
    case system
    case named(name: String)
    case critical(name: String?, volume: Double)
  }

  struct Fault: Codable {
    var path: String
    var problem: String
  }

  var id: PushID
  /// Absent is no, and where the journal is older.
  var hasProviderID: Bool?
  /// Nil where it came through a node.
  var token: DeviceToken?
  var node: JournaledNode?
  var topic: AppID
  var type: PushType
  var message: Words?
  var badge: Badge?
  var sound: Sound?
  var contentAvailable: Bool
  var level: InterruptionLevel
  var collapseID: String?
  /// Nil where it is tried once.
  var expires: WallTime?
  var priority: Int
  var threadID: String?
  var payload: JournaledBytes
  var faults: [Fault]

  init(_ push: Push) {
    id = push.id
    hasProviderID = push.hasProviderID ? true : nil
    switch push.address {
    case .token(let token): self.token = token
    case .node(let id): node = JournaledNode(id)
    }
    topic = push.topic
    type = push.type
    message = push.message.map(Words.init)
    badge =
      switch push.badge {
      case .absent: nil
      case .number(let number): .number(value: number)
      case .bad(let quote): .bad(quote: quote)
      }
    sound =
      switch push.sound {
      case .none: nil
      case .system: .system
      case .named(let name): .named(name: name)
      case .critical(let name, let volume): .critical(name: name, volume: volume)
      }
    contentAvailable = push.contentAvailable
    level = push.level
    collapseID = push.collapseID
    expires =
      switch push.expiration {
      case .once: nil
      case .at(let time): time
      }
    priority = push.priority
    threadID = push.threadID
    payload = Data(push.payload)
    faults = push.faults.map { Fault(path: $0.path, problem: $0.problem) }
  }

  /// - Throws: `DecodingError` where it is addressed to nobody, or to a node of a name that none can have.
  func push() throws -> Push {
    guard let address = try node.map({ .node(try $0.id()) }) ?? token.map(PushAddress.token) else {
      throw DecodingError.valueNotFound(
        DeviceToken.self, .init(codingPath: [], debugDescription: "a push has neither a token nor a node"))
    }
    let badge: BadgeRequest =
      switch self.badge {
      case nil: .absent
      case .number(let number): .number(number)
      case .bad(let quote): .bad(quote)
      }
    let sound: SoundRequest =
      switch self.sound {
      case nil: .none
      case .system: .system
      case .named(let name): .named(name)
      case .critical(let name, let volume): .critical(name: name, volume: volume)
      }
    var push = Push(
      id: id, address: address, topic: topic, type: type, message: message?.message, badge: badge, sound: sound,
      contentAvailable: contentAvailable, level: level, collapseID: collapseID,
      expiration: expires.map { .at($0) } ?? .once, priority: priority, threadID: threadID, payload: Array(payload),
      faults: faults.map { PayloadFault(path: $0.path, problem: $0.problem) })
    push.hasProviderID = hasProviderID ?? false
    return push
  }
}
