import HTTP
import HandsetCore

extension Fault {
  /// Reads a fault, or those of a preset.
  ///
  /// - Parameter words: the keys of `FaultWord` with their values.
  /// - Throws: `FaultError` with the key, its problem, and what is valid.
  public static func read(_ words: [String: JSONValue]) throws(FaultError) -> [Fault] {
    guard case .string(let name)? = words[FaultWord.preset.rawValue] else { return [try Fault(words)] }
    guard let preset = FaultPreset.all.first(where: { $0.name == name }) else {
      throw FaultError(
        FaultWord.preset, "'\(name)' is none", valid: FaultPreset.all.map(\.name).joined(separator: ", "))
    }
    var faults: [Fault] = []
    for (index, part) in preset.faults.enumerated() {
      var merged = FaultWords(words).completing(part, of: preset)
      merged[FaultWord.preset.rawValue] = nil
      let base = FaultWords(words).text(.name) ?? preset.name
      merged[FaultWord.name.rawValue] = .string(index == 0 ? base : "\(base)-\(index + 1)")
      var fault = try Fault(merged)
      fault.preset = preset.name
      faults.append(fault)
    }
    return faults
  }

  /// Reads one fault.
  public init(_ object: [String: JSONValue]) throws(FaultError) {
    let words = FaultWords(object)
    try words.check()
    name = words.text(.name) ?? ""
    if let given = words.text(.name), !Fault.isName(given) {
      throw FaultError(
        FaultWord.name, "'\(given)' is no name", valid: "1 to 64 letters, digits, dots, dashes and underscores")
    }
    let delay = try words.time(.delay)
    let kind = try words.kind()
    guard let kind = kind ?? (delay == nil ? nil : .wait) else {
      let actions = FaultWord.actions + [.delay]
      throw FaultError(
        "", "it has no action", valid: "one of \(actions.map(\.rawValue).joined(separator: ", "))")
    }
    action = Action(kind, delay: delay ?? .zero)
    moment = try words.moment(of: kind)
    if delay != nil, [.accept, .connect, .head, .always].contains(moment) {
      throw FaultError(FaultWord.delay, "this action has none", valid: "no delay, or another action")
    }
    scope = try words.scope(at: moment)
    which = try words.which(at: moment)
    end = End(count: words.integer(.count).map { Int($0) }, duration: try words.time(.duration))
    if moment == .always, end.count != nil {
      throw FaultError(FaultWord.count, "a condition strikes no requests", valid: "'for'")
    }
    self.words = object
  }

  /// True for 1 to 64 letters, digits, dots, dashes and underscores.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) || "0123456789.-_".utf8.contains($0)
      }
  }
}

/// The keys of one fault with their values.
private struct FaultWords {
  private let object: [String: JSONValue]

  init(_ object: [String: JSONValue]) { self.object = object }

  private func value(_ word: FaultWord) -> JSONValue? { object[word.rawValue] }
  func has(_ word: FaultWord) -> Bool { value(word) != nil }

  func text(_ word: FaultWord) -> String? {
    switch value(word) {
    case .string(let text): text
    case .integer(let number): String(number)
    case .unsigned(let number): String(number)
    case .decimal(let number): "\(number)"
    case .double(let number): "\(number)"
    default: nil
    }
  }

  /// The command and YAML have texts for everything.
  func integer(_ word: FaultWord) -> Int64? { text(word).flatMap { Int64($0) } }

  func flag(_ word: FaultWord) -> Bool? {
    switch value(word) {
    case .bool(let flag): flag
    case .string("true"), .string("on"), .string("yes"): true
    case .string("false"), .string("off"), .string("no"): false
    default: nil
    }
  }

  /// Returns the keys of a preset's fault, and these: the given ones win. A pace of the preset gives way to another choice
  /// of requests, and a given pace is for those of its faults that have one.
  func completing(_ part: [String: JSONValue], of preset: FaultPreset) -> [String: JSONValue] {
    var (part, given) = (part, object)
    for pace in [FaultWord.perToken, .refusals].map(\.rawValue) {
      if [FaultWord.pushes, .every, .share].contains(where: has) { part[pace] = nil }
      if part[pace] == nil, preset.faults.contains(where: { $0[pace] != nil }) { given[pace] = nil }
    }
    return part.merging(given) { _, given in given }
  }

  /// Checks that keys are known, values have their form, and each key has the one that it belongs to.
  func check() throws(FaultError) {
    for key in object.keys.sorted() {
      guard let word = FaultWord(rawValue: key) else {
        throw FaultError(key, "there is no such key", valid: FaultWord.allCases.map(\.rawValue).joined(separator: ", "))
      }
      try check(word)
      if let owner = word.owner, !has(owner) {
        throw FaultError(
          word, "it belongs to '\(owner.rawValue)', which is absent", valid: "'\(owner.rawValue)' beside it")
      }
    }
    let settings: Set<FaultWord> = [.streams, .window]
    let actions = FaultWord.actions.filter(has)
    guard actions.count < 2 || Set(actions) == settings else {
      throw FaultError(actions[1], "there is '\(actions[0].rawValue)' already", valid: "one action a fault")
    }
    let which = FaultWord.choices.filter(has)
    guard which.count < 2 else {
      let valid = FaultWord.choices.map(\.rawValue).joined(separator: ", ")
      throw FaultError(which[1], "there is '\(which[0].rawValue)' already", valid: "one of \(valid)")
    }
  }

  private func check(_ word: FaultWord) throws(FaultError) {
    switch word.form {
    case .flag:
      guard flag(word) != nil else { throw FaultError(word, "it is no flag", valid: "true or false") }
    case .integer(let range):
      let text = text(word) ?? "that"
      guard let number = integer(word), range.contains(number) else {
        throw FaultError(
          word, "'\(text)' is not valid", valid: "a number from \(range.lowerBound) to \(range.upperBound)")
      }
    case .numberOrText:
      guard text(word) != nil else { throw FaultError(word, "it is no text", valid: "a number or a text") }
    case .text:
      guard let text = text(word) else { throw FaultError(word, "it is no text", valid: "a text") }
      guard let values = word.values, !values.contains(text) else { return }
      throw FaultError(word, "'\(text)' is not valid", valid: values.joined(separator: ", "))
    }
  }

  // MARK: The action

  func kind() throws(FaultError) -> Fault.Kind? {
    if let status = integer(.answer) {
      return .answer(
        Fault.Answer(
          status: Int(status), reason: text(.reason),
          retryAfter: try time(.retryAfter).map { ($0.inMicroseconds + 999_999) / 1_000_000 },
          timestamp: integer(.timestamp), body: text(.body)))
    }
    if let silent = flag(.silent) {
      guard silent else { throw FaultError(FaultWord.silent, "false is no action", valid: "true") }
      return .silence
    }
    if let code = code(.reset) { return .reset(code) }
    if let code = code(.goaway) {
      return .goAway(
        Fault.GoAway(
          code: code, last: try lastStream(), times: integer(.times).map { Int($0) } ?? 1, closes: flag(.close) ?? true)
      )
    }
    if has(.streams) || has(.window) {
      return .settings(
        Fault.Settings(
          streams: integer(.streams).map { UInt32(clamping: $0) }, window: integer(.window).map { UInt32(clamping: $0) }
        ))
    }
    if let cut = text(.cut).flatMap(Fault.Cut.init) { return .cut(cut) }
    if let certificate = text(.certificate).flatMap(Fault.CertificateFault.init) { return .certificate(certificate) }
    return text(.condition).flatMap { Condition(rawValue: $0) }.map { .condition($0) }
  }

  private func code(_ word: FaultWord) -> UInt32? {
    text(word).flatMap { text in FaultWord.codes.first { $0.word == text }?.code }
  }

  private func lastStream() throws(FaultError) -> Fault.LastStream {
    switch text(.lastStream) {
    case nil, "this": return .this
    case "previous": return .previous
    case let text?:
      guard let number = UInt32(text), number < 1 << 31 else {
        throw FaultError(
          FaultWord.lastStream, "'\(text)' is no stream", valid: "this, previous, or a number below 2147483648")
      }
      return .number(number)
    }
  }

  func moment(of kind: Fault.Kind) throws(FaultError) -> Fault.Moment {
    let (usual, others): (Fault.Moment, [Fault.Moment]) =
      switch kind {
      case .wait, .answer, .reset, .goAway: (.beforeCommit, [.afterCommit])
      case .silence, .cut(.answer): (.afterCommit, [.beforeCommit])
      case .settings where isOfRequests: (.beforeCommit, [.afterCommit, .connect])
      case .settings: (.connect, [.beforeCommit, .afterCommit])
      case .cut(.accept), .certificate: (.accept, [])
      case .cut(.request): (.head, [])
      case .cut(.headers), .cut(.body): (.afterCommit, [])
      case .condition: (.always, [])
      }
    if has(.refusals) {
      guard usual == .afterCommit || others.contains(.afterCommit) else {
        throw FaultError(FaultWord.refusals, "it is not known yet when this strikes", valid: "no 'refusals'")
      }
      guard [nil, FaultWord.afterCommit].contains(text(.at)) else {
        throw FaultError(FaultWord.at, "a refusal is known only after it", valid: "no 'at'")
      }
      return .afterCommit
    }
    guard let text = text(.at) else { return usual }
    let given: Fault.Moment =
      text == FaultWord.connect ? .connect : text == FaultWord.afterCommit ? .afterCommit : .beforeCommit
    guard given == usual || others.contains(given) else {
      let valid = ([usual] + others).compactMap(\.word)
      throw FaultError(
        FaultWord.at, "'\(text)' is not for this action",
        valid: valid.isEmpty ? "no 'at'" : valid.joined(separator: " or "))
    }
    return given
  }

  /// True if the fault names requests, which a connection has not had at its beginning.
  private var isOfRequests: Bool {
    ([FaultWord.app, .provider, .token, .handset] + FaultWord.choices).contains(where: has)
  }

  // MARK: Whose and which

  func scope(at moment: Fault.Moment) throws(FaultError) -> Fault.Scope {
    let forbidden: [FaultWord] =
      switch moment {
      case .accept, .connect: [.app, .provider, .token, .handset, .perToken]
      case .head: [.provider]
      case .always: [.app, .provider, .token, .connection]
      case .beforeCommit, .afterCommit: []
      }
    if let word = forbidden.first(where: has) {
      let reason = moment == .always ? "a condition is a handset's" : "it is not known yet when this strikes"
      throw FaultError(word, reason, valid: moment == .always ? "'handset', or nothing" : "no '\(word.rawValue)'")
    }
    return Fault.Scope(
      provider: text(.provider), app: text(.app), token: text(.token)?.lowercased(), handset: text(.handset),
      connection: integer(.connection).map { Int($0) })
  }

  func which(at moment: Fault.Moment) throws(FaultError) -> Fault.Which {
    if moment == .always, let word = FaultWord.choices.first(where: has) {
      throw FaultError(word, "a condition strikes no requests", valid: "'for'")
    }
    if let text = text(.pushes) {
      let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard let last = ends.last ?? nil, let first = ends.count == 1 ? 1 : ends[0], ends.count < 3, first > 0,
        first <= last
      else {
        throw FaultError(
          FaultWord.pushes, "'\(text)' is not valid", valid: "2 or 1-2 for the first two, 3-3 for the third")
      }
      return .range(first...last)
    }
    if let number = integer(.every) { return .every(Int(number)) }
    if let number = integer(.refusals) { return .refusals(Int(number)) }
    if let text = text(.perToken) { return try perToken(text) }
    guard let text = text(.share) else { return .all }
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? String(text.dropLast()) : text), (0...(isPercent ? 100 : 1)).contains(number)
    else { throw FaultError(FaultWord.share, "'\(text)' is not valid", valid: "0 to 1, or 0% to 100%") }
    return .share(isPercent ? number / 100 : number, seed: UInt64(clamping: integer(.seed) ?? 0))
  }

  private func perToken(_ text: String) throws(FaultError) -> Fault.Which {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let limit = Int(parts[0]), (1...1_000_000).contains(limit),
      let time = FaultWords.time(String(parts[1])), time > .zero, time <= .seconds(86_400)
    else {
      throw FaultError(
        FaultWord.perToken, "'\(text)' is not valid", valid: "a number of requests and a time of up to a day: 10/1m")
    }
    return .perToken(limit, in: time)
  }

  /// Reads `500ms`, `2s`, `1m30s`, `1h`, or a number of seconds, of at most a day.
  func time(_ word: FaultWord) throws(FaultError) -> Duration? {
    guard let text = text(word) else { return nil }
    guard let time = FaultWords.time(text), time >= .zero, time <= .seconds(86_400) else {
      throw FaultError(
        word, "'\(text)' is no time", valid: "for example 500ms, 2s, 1m30s, or a number of seconds, up to a day")
    }
    return time
  }

  private static func time(_ text: String) -> Duration? {
    if let seconds = Double(text) {
      return seconds.isFinite && abs(seconds) < 1e9 ? .microseconds(Int64(seconds * 1e6)) : nil
    }
    var total = Duration.zero
    var rest = text[...]
    for (unit, length) in [
      ("h", Duration.seconds(3_600)), ("m", .seconds(60)), ("s", .seconds(1)), ("ms", .milliseconds(1)),
    ] {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let letters = rest.dropFirst(digits.count).prefix { $0.isLetter }
      guard letters == unit else { continue }
      guard let number = Double(digits), number < 1e6 else { return nil }
      total += .microseconds(Int64(number * Double(length.inMicroseconds)))
      rest = rest.dropFirst(digits.count + letters.count)
    }
    return rest.isEmpty && !text.isEmpty ? total : nil
  }
}

extension Fault.Moment {
  /// Its word; nil if it cannot be chosen.
  public var word: String? {
    switch self {
    case .beforeCommit: FaultWord.beforeCommit
    case .afterCommit: FaultWord.afterCommit
    case .connect: FaultWord.connect
    case .accept, .head, .always: nil
    }
  }
}
