// The Live Activity that owns the digits, and what they show of it (rule LA9).

/// The digits' text while a Live Activity owns them.
public enum ActivityDisplay: Hashable, Sendable {
  /// A number or a short text.
  case text(String)
  /// The digits count down to that time on the uptime clock.
  case countdown(until: Duration)
}

extension Handset {
  /// Returns the activity on top: the most relevant of those that have not ended, the first started of equal ones.
  public var topActivity: LiveActivity? {
    activities.isEmpty ? nil : ranked.first
  }

  /// The activities that have not ended, the one on top first.
  public var ranked: [LiveActivity] {
    activities.values.filter { $0.ended == nil }.sorted { left, right in
      let (first, second) = (left.relevance ?? -.infinity, right.relevance ?? -.infinity)
      return first == second ? left.id < right.id : first > second
    }
  }

  /// Returns the text and the lamp of the topmost activity whose app's manifest has them; nil for none.
  @inline(never)
  func activityPresentation(at now: Moment) -> (display: ActivityDisplay?, lamp: Presentation.Lamp?) {
    let ranked = ranked
    let display = ranked.lazy.compactMap { self.display(of: $0, at: now) }.first
    let lamp = ranked.first.flatMap { top in
      apps[top.app]?.manifest.liveActivity?.lamp.map { Presentation.Lamp(pattern: $0, since: top.started.uptime) }
    }
    return (display, lamp)
  }

  /// Returns what the digits show of the activity while it is on top; nil if its manifest or its state has nothing.
  public func display(of activity: LiveActivity, at now: Moment) -> ActivityDisplay? {
    guard let manifest = apps[activity.app]?.manifest.liveActivity else { return nil }
    if let path = manifest.countdown {
      guard let value = JSONText.value(at: path, in: activity.content), let number = Double(value), number.isFinite
      else { return nil }
      // A number of seconds counts from the update; a time is later than any such number.
      let seconds = Int64(clamping: number)
      let end =
        seconds < Policy.countdownSecondsLimit
        ? activity.timestamp.advanced(by: .seconds(seconds)) : WallTime(seconds: seconds)
      let left = Duration.microseconds(end.microseconds) - Duration.microseconds(now.wall.microseconds)
      return .countdown(until: now.uptime + left)
    }
    return manifest.display.flatMap { JSONText.value(at: $0, in: activity.content) }.map { .text($0) }
  }
}

extension Int64 {
  fileprivate init(clamping number: Double) {
    self = number >= 9e18 ? .max : number <= -9e18 ? .min : Int64(number)
  }
}

/// A number or text inside an object of JSON, which a front end has checked. HandsetCore has no reader of JSON.
enum JSONText {
  /// Returns the number, text or truth value at a path of names joined by dots, as text; nil if there is none.
  static func value(at path: String, in json: String) -> String? {
    var rest = Array(json.utf8)[...]
    for name in path.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard enter(name, &rest) else { return nil }
    }
    skipSpace(&rest)
    switch rest.first {
    case UInt8(ascii: "\""): return string(&rest).map { String(decoding: $0, as: UTF8.self) }
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), nil: return nil
    default: return String(decoding: rest.prefix { !isEnd($0) }, as: UTF8.self)
    }
  }

  /// Moves to the value of the member with that name.
  private static func enter(_ name: Substring.UTF8View, _ rest: inout ArraySlice<UInt8>) -> Bool {
    skipSpace(&rest)
    guard rest.popFirst() == UInt8(ascii: "{") else { return false }
    while true {
      skipSpace(&rest)
      guard rest.first == UInt8(ascii: "\""), let key = string(&rest) else { return false }
      skipSpace(&rest)
      guard rest.popFirst() == UInt8(ascii: ":") else { return false }
      if key.elementsEqual(name) { return true }
      skipValue(&rest)
      skipSpace(&rest)
      guard rest.popFirst() == UInt8(ascii: ",") else { return false }
    }
  }

  private static func skipValue(_ rest: inout ArraySlice<UInt8>) {
    var depth = 0
    repeat {
      skipSpace(&rest)
      switch rest.first {
      case nil: return
      case UInt8(ascii: "\""): _ = string(&rest)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        rest.removeFirst()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        rest.removeFirst()
      case UInt8(ascii: ","), UInt8(ascii: ":"): rest.removeFirst()
      default: rest = rest.drop { !isEnd($0) }
      }
    } while depth > 0
  }

  /// Reads a text. Of escapes only those of one character are resolved; digits can show no other.
  private static func string(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
    var text: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return text }
      guard byte == UInt8(ascii: "\\") else {
        text.append(byte)
        continue
      }
      guard let escaped = rest.popFirst() else { return nil }
      switch escaped {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(escaped)
      case UInt8(ascii: "u"):
        rest = rest.dropFirst(4)
        text.append(UInt8(ascii: "?"))
      default: text.append(UInt8(ascii: " "))
      }
    }
    return nil
  }

  private static func skipSpace(_ rest: inout ArraySlice<UInt8>) {
    rest = rest.drop { $0 == UInt8(ascii: " ") || (9...13).contains($0) }
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: " "), 9...13: true
    default: false
    }
  }
}
