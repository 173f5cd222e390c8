import FoundationEssentials
import HandsetCore

public enum HomeCommand: Hashable, Sendable {
  public enum Name: String, Hashable, Sendable, CaseIterable {
    case lamp, bell, notify, press, silent, notifications, focus
    case quietHours = "quiet-hours"
  }

  public enum Button: String, Hashable, Sendable, CaseIterable {
    case view, close, clear, snooze, fetch

    fileprivate var input: Input {
      switch self {
      case .view: .press(.view)
      case .close: .press(.close)
      case .clear: .clearCenter
      case .snooze: .snooze(nil, for: nil)
      case .fetch: .fetch(nil)
      }
    }
  }

  /// The same as the person's own act.
  case input(Input)
  /// Rings with a sound.
  /// - `tone`: nil is the default sound.
  /// - `volume`: 0 to 1; nil leaves it unchanged.
  /// - `duration`: the time for which the sound repeats; nil plays it once.
  case ring(tone: String?, volume: Double?, duration: Duration?)
  case silence
  case notify(String)

  public static let longestRing: Duration = .seconds(10 * 60)

  public init(_ name: Name, _ payload: [UInt8]) throws(HomeCommandError) {
    guard let text = String(validating: payload, as: UTF8.self) else {
      throw HomeCommandError(name, "is no text")
    }
    switch name {
    case .lamp: self = try HomeCommand.lamp(Words(name, payload, text))
    case .bell: self = try HomeCommand.bell(Words(name, payload, text))
    case .notify:
      if text.isEmpty { throw HomeCommandError(name, "has no message") }
      self = .notify(text)
    case .press:
      guard let button = Button(rawValue: text) else {
        throw HomeCommandError(name, "expected \(Button.allCases.map(\.rawValue).joined(separator: ", "))", got: text)
      }
      self = .input(button.input)
    case .silent: self = .input(.setCondition(.silent, try HomeCommand.isOn(text, name)))
    case .notifications:
      self = .input(.setHandsetSetting(.notifications, try HomeCommand.isOn(text, name) ? "on" : "off"))
    case .focus: self = .input(.setHandsetSetting(.focus, text))
    case .quietHours: self = .input(.setHandsetSetting(.quietHours, text))
    }
  }

  private static func isOn(_ text: String, _ name: Name) throws(HomeCommandError) -> Bool {
    switch text.lowercased() {
    case "on": true
    case "off": false
    default: throw HomeCommandError(name, "expected on or off", got: text)
    }
  }

  private static func lamp(_ words: Words) throws(HomeCommandError) -> HomeCommand {
    guard try isOn(words.state, .lamp) else { return .input(.setHandsetSetting(.lamp, "off")) }
    let effect = words.effect ?? LampPattern.steady.name
    guard LampPattern(named: effect) != nil else {
      throw HomeCommandError(.lamp, "expected an effect of \(LampPattern.choices)", got: effect)
    }
    return .input(.setHandsetSetting(.lamp, effect))
  }

  private static func bell(_ words: Words) throws(HomeCommandError) -> HomeCommand {
    guard try isOn(words.state, .bell) else { return .silence }
    if let volume = words.volume, !(0...1).contains(volume) {
      throw HomeCommandError(.bell, "expected a volume_level from 0 to 1", got: "\(volume)")
    }
    let longest = Double(longestRing.components.seconds)
    if let duration = words.duration, !(0...longest).contains(duration) {
      throw HomeCommandError(.bell, "expected a duration from 0 to \(Int(longest)) seconds", got: "\(duration)")
    }
    return .ring(
      tone: words.tone, volume: words.volume, duration: words.duration.map { .milliseconds(Int($0 * 1000)) })
  }
}

public struct HomeCommandError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String

  init(_ command: HomeCommand.Name, _ problem: String, got text: String? = nil) {
    description =
      "\(command.rawValue): \(problem)"
      + (text.map { ", not '\($0.onOneLine(limit: Policy.eventQuoteLimit))'" } ?? "")
  }
}

/// The payload for lights and sirens: a JSON object, or the state alone.
private struct Words: Decodable {
  var state: String
  var effect: String?
  var tone: String?
  var volume: Double?
  var duration: Double?

  enum CodingKeys: String, CodingKey {
    case state, effect, tone, duration
    case volume = "volume_level"
  }

  init(_ name: HomeCommand.Name, _ payload: [UInt8], _ text: String) throws(HomeCommandError) {
    if payload.first != UInt8(ascii: "{") {
      state = text
      return
    }
    do {
      self = try JSONDecoder().decode(Words.self, from: Data(payload))
    } catch {
      throw HomeCommandError(name, "expected a JSON object with a state, \"ON\" or \"OFF\"", got: text)
    }
  }
}
