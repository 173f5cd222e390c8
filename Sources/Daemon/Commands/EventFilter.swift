import ArgumentParser
import HandsetCore

/// A filter for events: all terms must match.
struct EventFilter: ExpressibleByArgument, Equatable {
  struct Term: Equatable {
    var key: String
    var isEqual: Bool
    var values: [String]
  }

  var terms: [Term] = []

  var isEmpty: Bool { terms.isEmpty }

  init() {}

  /// Parses `event=presented app=com.example.mail sound!=default`, with quotes around a value with spaces; nil for
  /// anything else.
  init?(argument: String) {
    for word in EventFilter.words(argument) {
      guard let equals = word.firstIndex(of: "=") else { return nil }
      var key = word[..<equals]
      let isEqual = key.last != "!"
      if !isEqual { key.removeLast() }
      guard !key.isEmpty else { return nil }
      terms.append(Term(key: String(key), isEqual: isEqual, values: [String(word[word.index(after: equals)...])]))
    }
    if terms.isEmpty { return nil }
  }

  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in text {
      if let open = quote {
        if character == open { quote = nil } else { word?.append(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }

  func accepts(_ event: EventReport) -> Bool {
    terms.allSatisfy { term in
      let value = EventFilter.value(of: term.key, in: event)
      return term.values.contains { value.contains($0) } == term.isEqual
    }
  }

  private static func value(of key: String, in event: EventReport) -> [String] {
    switch key {
    case "event": [event.event]
    case "app": event.app.map { [$0] } ?? []
    // A push's identifier is compared case-insensitively.
    case "push": event.push.map { [$0, $0.lowercased(), $0.uppercased()] } ?? []
    default:
      switch event.fields[key] {
      case nil: []
      case .text(let text)?: [text]
      case .number(let number)?: ["\(number)"]
      case .flag(let flag)?: flag ? ["true", "yes"] : ["false", "no"]
      case .list(let list)?: list
      }
    }
  }
}

/// The time to wait: `500ms`, or a span of time.
struct WaitingTime: ExpressibleByArgument, Equatable {
  var duration: Duration
  var text: String

  /// Parses the time; nil for anything else, for zero, and for more than a day.
  init?(argument: String) {
    let milliseconds = argument.hasSuffix("ms") ? Int64(argument.dropLast(2)) : nil
    let span = SpanOfTime(argument).map { Duration.seconds($0.seconds) }
    guard let duration = milliseconds.map({ .milliseconds($0) }) ?? span, duration > .zero,
      duration <= .seconds(86_400)
    else { return nil }
    (self.duration, text) = (duration, argument)
  }
}
