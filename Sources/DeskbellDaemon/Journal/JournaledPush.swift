// A push in a journal of inputs.

import FoundationEssentials
import HandsetCore

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
  var token: DeviceToken
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
    token = push.token
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

  var push: Push {
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
    return Push(
      id: id, token: token, topic: topic, type: type, message: message?.message, badge: badge, sound: sound,
      contentAvailable: contentAvailable, level: level, collapseID: collapseID,
      expiration: expires.map { .at($0) } ?? .once, priority: priority, threadID: threadID, payload: Array(payload),
      faults: faults.map { PayloadFault(path: $0.path, problem: $0.problem) })
  }
}
