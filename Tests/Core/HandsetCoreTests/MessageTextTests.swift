// The words of a message: looked up, filled in, and cut where a reader would cut them (N4, N6).

import Testing

@testable import HandsetCore

extension AppManifest {
  fileprivate func resolve(_ text: MessageText) -> String { text.resolved(from: strings) }

  fileprivate func resolve(_ title: ActionTitle) -> String? {
    title.resolved(from: strings, standard: actionTitle)
  }
}

@Suite struct MessageTextTests {
  private let manifest = AppManifest(
    id: AppID("game")!, name: "Game",
    strings: [
      "PLAIN": "Your move", "ONE": "%@ moved", "TWO": "%@ wants to play %@", "SWAPPED": "%2$@, %1$@",
      "MIXED": "%2$@ %@ %@", "PERCENT": "100%% of %@", "LONE": "100%", "OTHER": "%d %s %1@ %$@ %0$@", "EMPTY": "",
      "HUGE": "%99999999999999999999$@", "TENTH": "%10$@",
    ])

  @Test(
    arguments: [
      ("PLAIN", [], "Your move"), ("ONE", ["Ann"], "Ann moved"), ("ONE", [], " moved"), ("ONE", ["%@"], "%@ moved"),
      ("TWO", ["Ann", "chess"], "Ann wants to play chess"), ("TWO", ["Ann"], "Ann wants to play "),
      ("TWO", ["a", "b", "c"], "a wants to play b"), ("SWAPPED", ["a", "b"], "b, a"), ("SWAPPED", ["a"], ", a"),
      ("MIXED", ["a", "b"], "b a b"), ("PERCENT", ["x"], "100% of x"), ("LONE", [], "100%"),
      ("OTHER", ["a"], "%d %s %1@ %$@ %0$@"), ("EMPTY", ["a"], ""), ("HUGE", ["a"], "%99999999999999999999$@"),
      ("TENTH", ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"], "10"), ("UNKNOWN", ["a"], "UNKNOWN"),
      ("Hello %@", ["Ann"], "Hello Ann"),
    ] as [(String, [String], String)])
  func aLocalisedText(key: String, arguments: [String], text: String) {
    #expect(manifest.resolve(.localized(key: key, arguments: arguments)) == text)
  }

  @Test func aLiteralTextIsNotAFormat() {
    #expect(manifest.resolve(.literal("100%@ PLAIN %%")) == "100%@ PLAIN %%")
  }

  /// 4 KB of a payload that stand for a megabyte: text beyond the limit is never assembled.
  @Test func aTextIsCutAtItsLimit() {
    let long = String(repeating: "x", count: 2_050)
    let many = String(repeating: "%1$@", count: 490)
    let cut = manifest.resolve(.localized(key: many, arguments: [long]))
    #expect(cut == String(repeating: "x", count: Policy.resolvedTextLimit))
    let limit = String(repeating: "y", count: Policy.resolvedTextLimit)
    #expect(manifest.resolve(.literal(limit)) == limit)
    #expect(manifest.resolve(.literal(limit + "z")) == limit)
    #expect(manifest.resolve(.localized(key: "%@%@", arguments: [limit, ""])) == limit)
    #expect(manifest.resolve(.localized(key: "%@z", arguments: [limit])) == limit)
    #expect(manifest.resolve(ActionTitle.localized(key: limit + "z")) == limit)
  }

  @Test(
    arguments: [
      // Texts that fit are kept whole.
      ("abc", 3, "abc"), ("", 3, ""), ("ß", 2, "ß"), ("👨‍👩‍👧‍👦", 25, "👨‍👩‍👧‍👦"),
      // Characters of several bytes, of several scalars, and one that continues just behind the limit.
      ("abcd", 3, "abc"), ("abß", 3, "ab"), ("ßß", 3, "ß"), ("a👨‍👩‍👧‍👦b", 25, "a"), ("a👨‍👩‍👧‍👦b", 26, "a👨‍👩‍👧‍👦"), ("ae\u{301}", 2, "a"),
      ("ae\u{301}x", 4, "ae\u{301}"), ("ab\r\nc", 3, "ab"), ("🇩🇪🇫🇷", 15, "🇩🇪"), ("aaa😀", 3, "aaa"), ("aa😀", 5, "aa"),
      // A letter with endless marks has to be cut between two of them.
      ("e\u{301}\u{301}\u{301}\u{301}", 5, "e\u{301}\u{301}"), ("e\u{301}\u{301}\u{301}\u{301}", 6, "e\u{301}\u{301}"),
    ] as [(String, Int, String)])
  func aTextIsCutBetweenCharacters(text: String, limit: Int, cut: String) {
    // At once, and scalar by scalar: appending also combines characters.
    var whole = BoundedText(limit: limit)
    whole.append(text[...])
    var pieces = BoundedText(limit: limit)
    for scalar in text.unicodeScalars { pieces.append(Substring(Character(scalar).description)) }
    for bounded in [whole, pieces] {
      #expect(Array(bounded.text.unicodeScalars) == Array(cut.unicodeScalars))
      #expect(bounded.isFull == (text.utf8.count > limit))
    }
  }

  @Test func theActionTitle() {
    #expect(manifest.resolve(ActionTitle.standard) == "View")
    #expect(manifest.resolve(ActionTitle.localized(key: "PLAIN")) == "Your move")
    #expect(manifest.resolve(ActionTitle.localized(key: "Play")) == "Play")
    #expect(manifest.resolve(ActionTitle.none) == nil)
    var own = manifest
    own.actionTitle = "Open"
    #expect(own.resolve(ActionTitle.standard) == "Open")
  }

  @Test(arguments: [
    ("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("abcd", 1, "…"), ("a", 1, "a"), ("one two", 5, "one…"),
    ("one   two", 6, "one…"), ("     x", 3, "…"),
    // A family is one character, and so is a letter with its marks.
    ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3, "👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦"), ("👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2, "👨‍👩‍👧‍👦…"),
    ("e\u{301}e\u{301}e\u{301}e\u{301}", 3, "e\u{301}e\u{301}…"), ("🇩🇪🇫🇷🇮🇹", 2, "🇩🇪…"), ("a\r\nb\r\nc", 4, "a\r\nb…"),
    // Right to left: the order in memory is the order of reading.
    ("שלום עולם", 6, "שלום…"), ("שלום עולם", 9, "שלום עולם"), ("مرحبا بالعالم", 4, "مرح…"),
  ])
  func aTextThatIsTooLongIsCutWithAnEllipsis(text: String, limit: Int, cut: String) {
    let truncated = NotificationContent.truncate(text, to: limit)
    #expect(Array(truncated.unicodeScalars) == Array(cut.unicodeScalars))
    #expect(truncated.count <= limit)
  }

  @Test(arguments: [Policy.bannerCharacters, Policy.centerCharacters])
  func oneCharacterTooMany(limit: Int) {
    let fits = String(repeating: "x", count: limit)
    #expect(NotificationContent.truncate(fits, to: limit) == fits)
    #expect(NotificationContent.truncate(fits + "x", to: limit) == String(repeating: "x", count: limit - 1) + "…")
  }

  @Test func notificationCenterShowsMoreThanABanner() {
    #expect(Policy.centerCharacters > Policy.bannerCharacters)
  }
}
