import HTTP
import HandsetCore

/// A template by which a hook makes a message of a service's request.
public struct HookTemplate: Hashable, Sendable {
  public var title: TemplateText?
  public var text: TemplateText
  /// A word that `levels` maps to an interruption level, or a level itself.
  public var level: TemplateText?
  public var levels: [String: InterruptionLevel]
  /// The value by which a message replaces an earlier one of the hook with the same value (rule N8).
  public var replaces: TemplateText?
  /// Words that choose a sound of the app.
  public var tags: TemplateText?
  /// The number for the app's icon (rule B1).
  public var badge: TemplateText?
  var markup = Markup.none

  public init(
    title: TemplateText?, text: TemplateText, level: TemplateText? = nil, levels: [String: InterruptionLevel] = [:],
    replaces: TemplateText? = nil, tags: TemplateText? = nil, badge: TemplateText? = nil
  ) {
    self.title = title
    self.text = text
    self.level = level
    self.levels = levels
    self.replaces = replaces
    self.tags = tags
    self.badge = badge
  }

  /// Creates a ready template.
  /// - Throws: `TemplateError`, which a test of all ready templates rules out.
  init(
    title: [String], text: [String], level: [String], _ levels: [String: InterruptionLevel] = [:],
    replaces: [String]? = nil, tags: [String]? = nil, badge: [String]? = nil, markup: Markup = .none
  ) throws(TemplateError) {
    self.init(
      title: try TemplateText(title), text: try TemplateText(text), level: try TemplateText(level), levels: levels,
      replaces: try replaces.map { (texts) throws(TemplateError) in try TemplateText(texts) },
      tags: try tags.map { (texts) throws(TemplateError) in try TemplateText(texts) },
      badge: try badge.map { (texts) throws(TemplateError) in try TemplateText(texts) })
    self.markup = markup
  }

  /// The name of the template for a hook that names none.
  public static let standard = "plain"

  /// Returns true if one of its texts names the field or, with `inside`, a part of it.
  func names(_ field: String, inside: Bool = false) -> Bool {
    [title, text, level, replaces, tags, badge].contains { $0?.names(field, inside: inside) == true }
  }

  /// - Parameter asked: words from the hook's address, which take precedence over the service's.
  func level(of values: TemplateValues, asked: [String]) -> InterruptionLevel {
    let words = level?.all(from: values) ?? []
    return asked.lazy.compactMap { known($0) ?? LevelWords[$0] }.first
      ?? words.lazy.compactMap(known).first ?? words.lazy.compactMap { LevelWords[$0] }.first ?? .active
  }

  /// Returns the level that `levels` has for a word, ignoring case.
  private func known(_ word: String) -> InterruptionLevel? {
    // By bytes: looking up a text takes long if it has many combining marks.
    let bytes = word.utf8.map(\.lowercasedASCII)
    return levels.first { $0.key.utf8.lazy.map(\.lowercasedASCII).elementsEqual(bytes) }?.value
  }
}

/// The markup of a service's texts.
enum Markup: Hashable, Sendable {
  case none
  /// Slack's markup: `&amp;`, `&lt;` and `&gt;`; `<https://example.com|words>`, `<!here>`.
  case slack

  /// Returns a text without the markup.
  func plain(_ text: String) -> String {
    guard self == .slack else { return text }
    var result = ""
    var rest = Substring(text)
    while let start = rest.firstIndex(where: { $0 == "<" || $0 == "&" }) {
      result += rest[..<start]
      rest = rest[start...]
      if rest.first == "<", let end = rest.firstIndex(of: ">") {
        let link = rest[rest.index(after: start)..<end]
        let target = link.prefix { $0 != "|" }
        let words = link[target.endIndex...].dropFirst()
        // `<!here|here>` is a mention; `<!date^…|Monday>` has a text for programs that cannot format dates.
        if target.first == "!", words.isEmpty || !target.contains("^") {
          result.append("@")
          result += target.dropFirst()
        } else {
          result += words.isEmpty ? target : words
        }
        rest = rest[rest.index(after: end)...]
      } else if let (entity, character) = Markup.entities.first(where: { rest.hasPrefix($0.0) }) {
        result.append(character)
        rest = rest.dropFirst(entity.count)
      } else {
        result.append(rest.removeFirst())
        // If this link has no end, the rest has no link either.
        if rest.isEmpty || result.last == "<" {
          guard rest.contains(where: { $0 == ">" || $0 == "&" }) else { break }
        }
      }
    }
    return result + rest
  }

  private static let entities: [(String, Character)] = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")]
}

/// The words that services use for urgency.
enum LevelWords {
  /// The level of a word, ignoring case, `-`, `_` and blanks.
  static subscript(word: String) -> InterruptionLevel? {
    let bytes = word.utf8.prefix(64).filter { !"-_ ".utf8.contains($0) }.map(\.lowercasedASCII)
    return known.first { $0.word.utf8.elementsEqual(bytes) }?.level ?? color(bytes)
  }

  /// Returns time-sensitive if one of the colours, separated by commas, is red: `hex:#e01e5a` for Slack, `rgb:14687834`
  /// for Discord. Their messages have no other sign of urgency that a program can read.
  private static func color(_ word: [UInt8]) -> InterruptionLevel? {
    let radix = word.starts(with: "hex:".utf8) ? 16 : 10
    guard radix == 16 || word.starts(with: "rgb:".utf8) else { return nil }
    let hasRed = word.dropFirst(4).split(separator: UInt8(ascii: ",")).contains { number in
      let digits = String(decoding: number.drop { $0 == UInt8(ascii: "#") }, as: UTF8.self)
      return Int(digits, radix: radix).map(isRed) ?? false
    }
    return hasRed ? .timeSensitive : nil
  }

  /// Returns true for a hue of -24 to 18 degrees that is neither dark nor pale: crimson, not orange.
  private static func isRed(_ color: Int) -> Bool {
    let (red, green, blue) = ((color >> 16) & 0xFF, (color >> 8) & 0xFF, color & 0xFF)
    let chroma = red - min(green, blue)
    guard (0...0xFF_FFFF).contains(color), red >= 96, chroma * 2 >= red else { return false }
    return (-24 * chroma...18 * chroma).contains(60 * (green - blue))
  }

  private static let known: [(word: String, level: InterruptionLevel)] = [
    (.critical, "critical"),
    (
      .timeSensitive,
      """
      timesensitive aborted alarm alert alerting blocker broken crashed crit dead disaster down emerg emergency err \
      error errored failed failing failure fail fatal firing high major max offline outage page panic problem severe \
      timedout timeout unavailable unhealthy unreachable urgent p0 p1 sev0 sev1
      """
    ),
    (
      .active,
      """
      active average average default fixed fine info information informational medium minor normal notice ok online \
      passed recovered recovery resolved success succeeded successful up warn warning healthy
      """
    ),
    (.passive, "passive debug low lowest min silent trace verbose"),
  ].flatMap { (level: InterruptionLevel, words: String) in words.split(separator: " ").map { (String($0), level) } }
}
