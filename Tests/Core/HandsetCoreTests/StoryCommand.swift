// The words of a story's commands. They are read strictly: a word that no command reads is a mistake in the story.

@testable import HandsetCore

struct StoryError: Error, CustomStringConvertible {
  var description: String
}

/// One command: its words, without the options `key=value`.
struct StoryCommand {
  private var positional: [String] = []
  private var options: [(key: String, value: String)] = []

  /// - Parameter text: words separated by spaces; a double quote, anywhere in a word, keeps spaces together.
  init(_ text: some StringProtocol) throws {
    var word = ""
    var isWord = false
    var isQuoted = false
    var equals: String.Index?
    func end() throws {
      guard isWord else { return }
      if let equals {
        let key = String(word[..<equals])
        guard !options.contains(where: { $0.key == key }) else { throw StoryError(description: "'\(key)' twice") }
        options.append((key, String(word[word.index(after: equals)...])))
      } else {
        positional.append(word)
      }
      (word, isWord, equals) = ("", false, nil)
    }
    for character in text {
      switch character {
      case "\"":
        isQuoted.toggle()
        isWord = true
      case " " where !isQuoted: try end()
      default:
        word.append(character)
        isWord = true
        if character == "=" && !isQuoted && equals == nil { equals = word.index(before: word.endIndex) }
      }
    }
    guard !isQuoted else { throw StoryError(description: "a quotation mark is not closed") }
    try end()
  }

  /// Returns the commands of a line: `many 3 install app#` is three, in which their numbers replace each `#`.
  static func all(in text: some StringProtocol) -> [String] {
    let text = String(text.drop { $0 == " " })
    guard text.hasPrefix("many ") else { return [text] }
    let words = text.split(separator: " ", maxSplits: 2)
    guard words.count == 3, let count = Int(words[1]), count > 0 else { return [text] }
    let parts = words[2].split(separator: "#", omittingEmptySubsequences: false)
    return (1...count).map { parts.joined(separator: "\($0)") }
  }

  mutating func next(_ what: String) throws -> String {
    guard !positional.isEmpty else { throw StoryError(description: "expected \(what)") }
    return positional.removeFirst()
  }

  mutating func rest() -> [String] {
    defer { positional = [] }
    return positional
  }

  /// Returns true if the word is among the unread ones.
  mutating func flag(_ name: String) -> Bool {
    guard let place = positional.firstIndex(of: name) else { return false }
    positional.remove(at: place)
    return true
  }

  mutating func option(_ key: String) -> String? {
    guard let place = options.firstIndex(where: { $0.key == key }) else { return nil }
    return options.remove(at: place).value
  }

  mutating func list(_ key: String) -> [String] {
    (option(key) ?? "").split(separator: ",").map(String.init)
  }

  /// Returns the options `prefix.name=value`.
  mutating func group(_ prefix: String) -> [String: String] {
    var group: [String: String] = [:]
    for (key, value) in options where key.hasPrefix(prefix + ".") {
      group[String(key.dropFirst(prefix.count + 1))] = value
    }
    options.removeAll { $0.key.hasPrefix(prefix + ".") }
    return group
  }

  mutating func app() throws -> AppID {
    let text = try next("an app")
    return try required(AppID(text), "'\(text)' is no app")
  }

  mutating func integer(_ what: String) throws -> Int {
    let text = try next(what)
    return try required(Int(text), "'\(text)' is no \(what)")
  }

  /// Throws if a word was not read.
  func finish() throws {
    let left = positional + options.map { "\($0.key)=\($0.value)" }
    guard left.isEmpty else {
      throw StoryError(description: "the command does not take '\(left.joined(separator: " "))'")
    }
  }
}

func required<Value>(_ value: Value?, _ problem: @autoclosure () -> String) throws -> Value {
  guard let value else { throw StoryError(description: problem()) }
  return value
}
