import HTTP
import HandsetCore

/// An event of the handset for Home Assistant.
public enum HomeEvent: Hashable, Sendable {
  public enum Notified: String, Hashable, Sendable, CaseIterable {
    case presented, held, discarded, dismissed, opened
  }

  /// The use of a button: it answered an alert, or there was none.
  public enum Pressed: String, Hashable, Sendable, CaseIterable {
    case view, close, press
    case longPress = "long_press"
  }

  /// The texts are known when the notification is presented.
  case notification(Notified, app: AppID?, push: PushID?, title: String? = nil, body: String? = nil)
  case button(Pressed, AlertButton, PressLength)

  public static func all(of turn: Turn) -> [HomeEvent] {
    turn.events.flatMap { event in
      func notified(_ word: Notified) -> HomeEvent { .notification(word, app: event.app, push: event.push) }
      switch event.kind {
      case .presented(let presented):
        guard presented.style != .none || presented.isListed else { return [HomeEvent]() }
        let words = event.push.flatMap { turn.content(of: $0) }?.shortened(for: .banner)
        return [.notification(.presented, app: event.app, push: event.push, title: words?.title, body: words?.body)]
      case .held: return [notified(.held)]
      case .discarded: return [notified(.discarded)]
      case .cleared(.byPerson, _): return [notified(.dismissed)]
      case .answered(.view): return [.button(.view, .view, .short), notified(.opened)]
      case .responded: return [notified(.opened)]
      case .answered(.close): return [.button(.close, .close, .short), notified(.dismissed)]
      case .button(let button, let length): return [.button(length == .long ? .longPress : .press, button, length)]
      default: return []
      }
    }
  }

  public func message(_ topics: HomeTopics) -> (topic: String, payload: [UInt8]) {
    switch self {
    case .notification(let word, let app, let push, let title, let body):
      let members: [String: JSONValue?] = [
        "event_type": JSONValue.string(word.rawValue), "app": app.map { JSONValue.string($0.text) },
        "push": push.map { JSONValue.string("\($0)") }, "title": title.map(JSONValue.string),
        "body": body.map(JSONValue.string),
      ]
      return (topics.notifications, homeJSON(members))
    case .button(let word, let button, let length):
      let words = ["event_type": word.rawValue, "button": button.rawValue, "press": length.rawValue]
      return (topics.buttons, homeJSON(words.mapValues { JSONValue?.some(.string($0)) }))
    }
  }
}

extension Turn {
  fileprivate func content(of push: PushID) -> NotificationContent? {
    for case .notification(let change) in changes where change.after?.push == push {
      if let content = change.content { return content }
    }
    return nil
  }
}
