// The transcript of a handset's turns in a story: pushes and tokens by label, times since the story began, every
// result but those that `HandsetRig.unexpectedHeads` and `unexpectedVibrations` check, nothing rounded.

@testable import HandsetCore

/// The n-th push of a story is `P<n>`, the n-th token `T<n>`.
enum Label {
  static func push(_ number: Int) -> PushID { PushID(high: 0, low: UInt64(number)) }
  static func text(_ push: PushID) -> String { "P\(push.low)" }
  static func push(named text: some StringProtocol) -> PushID? {
    text.hasPrefix("P") ? Int(text.dropFirst()).map { push($0) } : nil
  }

  static func token(_ number: Int) -> DeviceToken {
    var bytes = [UInt8](repeating: 0, count: 32)
    for place in 0..<8 { bytes[31 - place] = UInt8(truncatingIfNeeded: number >> (8 * place)) }
    return DeviceToken(bytes: bytes)!
  }
  static func text(_ token: DeviceToken) -> String {
    "T\(token.bytes.suffix(8).reduce(0) { $0 << 8 | Int($1) })"
  }
  static func token(named text: some StringProtocol) -> DeviceToken? {
    text.hasPrefix("T") ? Int(text.dropFirst()).map { token($0) } : nil
  }
}

extension HandsetRig {
  /// Returns the turn, a line for each part: refusal (`!`), events, effects (`>`).
  func transcript(_ turn: Turn) -> [String] {
    var lines: [String] = []
    if case .refused(let refusal) = turn.verdict {
      switch refusal {
      case .unregistered(let since), .expiredToken(let since), .goneNode(_, let since):
        lines.append("! \(refusal.explanation), since \(storyTime(wall: since).story)")
      default: lines.append("! \(refusal.explanation)")
      }
    }
    lines += turn.events.filter { !$0.isHead || $0.isDuplicate }.map(text)
    for effect in turn.effects {
      switch effect {
      case .play(let choice):
        let volume =
          choice.isCritical
          ? ", critical, at volume \(choice.volume)" : choice.volume == 1 ? "" : ", at volume \(choice.volume)"
        switch choice.source {
        case .shipped(let sound):
          lines.append("> play the shipped \(sound.rawValue) for \(Label.text(choice.push))\(volume)")
        case .system: lines.append("> play the default sound for \(Label.text(choice.push))\(volume)")
        case .bundle(let app, let name):
          lines.append("> play \(app)'s \(name) for \(Label.text(choice.push))\(volume)")
        }
      case .vibrate: break
      case .silence(let what): lines.append("> silence \(what.rawValue)")
      case .stopSound(let push): lines.append("> stop the sound of \(Label.text(push))")
      case .deliver(let delivery):
        let payload = stored.offeredPayloads[delivery.app]?[delivery.push]
        let attempt = (delivery.attempt > 1 ? ", attempt \(delivery.attempt)" : "") + text(delivery.occasion)
        lines.append(
          "> give \(delivery.app) \(Label.text(delivery.push)) in the \(delivery.state.rawValue)\(attempt): "
            + "\(payload.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")")
      case .extend(let app, let push, let attempt):
        let attempt = attempt > 1 ? ", attempt \(attempt)" : ""
        lines.append(
          "> extend \(app) \(Label.text(push.id))\(attempt): \(String(decoding: push.payload, as: UTF8.self))")
      case .launchApp(let app, let response): lines.append("> launch \(app)\(text(response))")
      case .leftForeground(let app): lines.append("> tell \(app) that it left the foreground")
      case .tellDelivered(let app): lines.append("> tell \(app) what is delivered")
      case .mint(let purpose, let app): lines.append("> make the \(purpose.coded) token of \(app)")
      case .stopApp(let app): lines.append("> stop \(app)")
      }
    }
    return lines
  }

  /// Returns `, action REPLY: "Yes"`.
  func text(_ occasion: OfferOccasion?) -> String {
    switch occasion {
    case nil: ""
    case .notification?: ", as a notification"
    case .type(let type)?: ", of type \(type.rawValue)"
    case .response(let response)?: ", action \(response.action)\(response.text.map { ": \"\($0)\"" } ?? "")"
    }
  }

  /// Returns ` with P1`, and the person's choice unless it is to open it.
  private func text(_ response: NotificationResponse?) -> String {
    guard let response else { return "" }
    let action = response.action == NotificationResponse.open ? "" : ", action \(response.action)"
    let target = response.targetContentID.map { ", about \($0)" } ?? ""
    return " with \(Label.text(response.push))\(action)\(response.text.map { ": \"\($0)\"" } ?? "")\(target)"
  }

  private func text(_ event: Event) -> String {
    var read = EventWords()
    event.write(to: &read)
    var words = [read.name]
    if let app = event.app { words.append(app.text) }
    if let push = event.push { words.append(Label.text(push)) }
    let hasReason = read.fields.contains { ["reason", "silenced"].contains($0.name) }
    // The text of a reason follows from its code.
    for (name, value) in read.fields where !(hasReason && name == "text") {
      switch value {
      case .text(let text):
        words.append("\(name)=\(PushID(text).map(Label.text) ?? quotedWhereNeeded(text))")
      case .number(let number) where name == "dueWallMicroseconds":
        words.append("due=\(storyTime(wall: WallTime(microseconds: Int64(number))).story)")
      case .number(let number) where name == "untilWallMicroseconds":
        words.append("until=\(storyTime(wall: WallTime(microseconds: Int64(number))).story)")
      case .number(let number): words.append("\(name)=\(number)")
      case .flag(let flag): words.append("\(name)=\(flag ? "yes" : "no")")
      case .list(let list): words.append("\(name)=\(list.isEmpty ? "none" : list.joined(separator: ","))")
      }
    }
    if event.moment != now { words.append("at \(storyTime(uptime: event.moment.uptime).story)") }
    return words.joined(separator: " ")
  }

  /// The visible state: `= badge 1, lamp blink since 1s`.
  var presentationText: String {
    let shown = handset.presentation(at: now)
    var parts: [String] = []
    if shown.badge != 0 { parts.append("badge \(shown.badge)\(shown.isDimmed ? ", dimmed" : "")") }
    if shown.badge == 0 && shown.isDimmed && shown.activity == nil { parts.append("dark and dimmed") }
    switch shown.activity {
    case .text(let text)?: parts.append("digits \(text)\(shown.isDimmed ? ", dimmed" : "")")
    case .countdown(let until)?: parts.append("digits count down to \(storyTime(uptime: until).story)")
    case nil: break
    }
    if let lamp = shown.lamp { parts.append("lamp \(lamp.pattern.name) since \(storyTime(uptime: lamp.since).story)") }
    if let banner = shown.banner {
      parts.append(
        "banner \(words(of: banner.notification, in: .banner)) until \(storyTime(uptime: banner.until).story)")
    }
    if let alert = shown.alert {
      let buttons = stored.words[alert.notification]?.buttons(isLocked: alert.isLocked) ?? []
      let consistent = (buttons.count == 2) == alert.hasAction ? "" : " (\(alert.hasAction))"
      let offered = handset.notification(alert.notification).map(handset.actions) ?? []
      let selected = alert.selected.map { ", selected \($0)" } ?? ""
      let actions = offered.isEmpty ? "" : " {\(offered.map(\.title).joined(separator: ", "))}\(selected)"
      parts.append(
        "alert \(words(of: alert.notification, in: .alert)) [\(buttons.joined(separator: ", "))]\(actions)\(consistent)"
          + (alert.below > 0 ? " over \(alert.below)" : ""))
    }
    return "= \(parts.isEmpty ? "dark" : parts.joined(separator: ", "))"
  }

  /// Returns `P1 Mail: "Two letters"`; title, subtitle and body are in this order with a bar between.
  func words(of id: NotificationID, in place: NotificationContent.Place = .center) -> String {
    guard var content = stored.words[id]?.shortened(for: place) else { return "a notification without words" }
    if let shown = handset.notification(id), handset.hidesPreview(of: shown) { content = content.withoutPreview }
    let push = handset.center.notifications[id].map { Label.text($0.push) } ?? "nothing"
    let message = [content.title, content.subtitle, content.body].compactMap { $0 }.joined(separator: " | ")
    return "\(push) \(content.appName): \"\(message)\""
  }
}

extension Event {
  /// True if it is the event by which a push, or a start, begins.
  var isHead: Bool {
    switch kind {
    case .accepted, .duplicate, .started: true
    default: false
    }
  }

  var isDuplicate: Bool { if case .duplicate = kind { true } else { false } }
}

/// An event's name, and its fields in the order to read them.
private struct EventWords: EventValues {
  var name = ""
  var fields: [(name: String, value: Event.Field)] = []

  mutating func begin(_ name: Event.Name) { self.name = name.rawValue }
  mutating func add(_ name: StaticString, _ value: Event.Value) { fields += value.fields(named: name.description) }
}

func quotedWhereNeeded(_ text: String) -> String {
  text.isEmpty || text.contains(" ") ? "\"\(text)\"" : text
}
