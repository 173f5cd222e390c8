// The steps of the demo's scenes: run commands that a user could type, let time pass, and wait for the effects.

import CommandSupport
import DeskbellDaemon
import HandsetCore
import ProviderClient

/// The end of the demo, at the last scene or by a key.
struct DemoQuit: Error {}

actor DemoStage {
  enum Limits {
    /// The time to wait for anything in a scene. Nothing takes a second; a slow machine may need more.
    static let patience: Duration = .seconds(30)
    static let frame: Duration = .milliseconds(80)
    /// The time to look, between two steps.
    static let look: Duration = .milliseconds(1_800)
    static let lines = 200
  }

  let daemon: DemoDaemon
  /// The user's terminal; nil if there is none: then all scenes run through, and each is printed.
  private let terminal: DemoTerminal?
  private var model = DemoModel()
  /// The newest event before the current step.
  private var mark: UInt64 = 0
  /// The newest event that the picture contains.
  private var noted: UInt64 = 0
  /// Events after the first number and up to the second were caused by a quiet command, and are not shown.
  private var quiet: (after: UInt64, upTo: UInt64) = (0, 0)
  private var isClockBusy = false
  private var isHurried = false
  private var waiting: CheckedContinuation<Void, Never>?

  init(_ daemon: DemoDaemon, terminal: DemoTerminal?) {
    self.daemon = daemon
    self.terminal = terminal
    model.soundOutput = daemon.soundOutput
    (model.title, model.keys) = ("is starting, with its example app", "q quit")
  }

  // MARK: Steps of a scene

  nonisolated var client: ControlClient { daemon.client }

  func begin(_ number: Int, of count: Int, _ title: String, _ caption: [String]) async throws {
    (model.scene, model.sceneCount, model.title, model.caption, model.keys) = (number, count, title, caption, "q quit")
    (model.lines, model.notice, isHurried) = ([], nil, false)
    if terminal == nil {
      try Output.line("")
      try Output.line("== \(number) of \(count): \(title)")
      for line in caption { try Output.line("   \(line)") }
    }
    try await look()
  }

  func run(_ words: String...) async throws {
    try await prepare()
    try show(.command, "$ " + (["deskbell"] + words).map(CurlLine.quoted).joined(separator: " "))
    try show(.output, output(await daemon.run(words), of: "deskbell \(words.first ?? "")"))
  }

  func shell(_ line: String, shown: String) async throws {
    try await prepare()
    try show(.command, "$ " + shown)
    try show(.output, output(await daemon.shell(line), of: line))
  }

  /// Runs a command without showing it or its events.
  func quietly(_ words: String...) async throws {
    if model.scene > 0 { try await look() }
    mark = try await client.state().lastEvent
    quiet = (mark, .max)
    _ = try output(await daemon.run(words), of: "deskbell \(words.first ?? "")")
    quiet.upTo = try await client.state().lastEvent
  }

  /// Waits for an event of the last step for each of the texts, which have the form of `deskbell events --wait`.
  func expect(_ texts: String...) async throws {
    for text in texts {
      guard let filter = EventFilter(argument: text) else { throw Failure("'\(text)' is no filter of events") }
      guard let (event, _) = try await EventReader.first(filter, after: mark, client, within: Limits.patience) else {
        throw Failure("the event never came: \(text)")
      }
      if terminal == nil, let words = DemoStage.line(event) { try show(.event, words) }
    }
  }

  func pass(_ seconds: Int64, _ words: String) async throws {
    try await prepare()
    try show(.command, "  … \(words) …")
    try await advance(by: seconds)
  }

  func pass(until hour: Int64, _ minute: Int64, _ words: String? = nil) async throws {
    let now = try await client.state().secondOfDay
    let seconds = ((hour * 3_600 + minute * 60 - now) + 86_399) % 86_400 + 1
    if let words { try await pass(seconds, words) } else { try await advance(by: seconds) }
  }

  /// Waits while the user looks; without a user it returns at once.
  func look() async throws {
    try Task.checkCancellation()
    if let failure = daemon.failure { throw failure }
    guard terminal != nil, !isHurried else { return }
    var end = ContinuousClock.now + Limits.look
    while ContinuousClock.now < end, !isHurried {
      try await Task.sleep(for: Limits.frame)
      // A terminal that is too small shows nothing, so the time does not count.
      if terminal?.isLargeEnough == false { end = ContinuousClock.now + Limits.look }
    }
  }

  /// Waits until the condition holds for the shown state, or the user continues. Without a user it returns at once.
  func wait(_ keys: String, until isDone: @Sendable (StateReport) -> Bool) async throws {
    guard terminal != nil else { return }
    (model.keys, isHurried) = (keys, false)
    while !isHurried {
      try await refresh()
      if let state = model.state, isDone(state) { break }
      try await Task.sleep(for: Limits.frame)
    }
    (model.keys, isHurried) = ("q quit", false)
  }

  /// Shows the newest command's output in place of phone and board, page by page, until the user continues, and then
  /// its last paragraph only. Without a terminal, or if the output fits beside the board, it returns at once.
  func read() async throws {
    guard let terminal else { return }
    try await look()
    var page = 0
    while true {
      let size = terminal.size
      let layout = model.layout(columns: size.columns, rows: size.rows)
      let pages = model.pages(layout)
      if page == 0, pages.joined().count <= layout.lines.height { break }
      guard page < pages.count else { break }
      model.page = page
      try await wait("") { _ in false }
      page += 1
    }
    guard model.page != nil else { return }
    model.page = nil
    // A table without its head is useless; its last paragraph is the result.
    model.lines = DemoLines.summary(model.lines)
  }

  /// Ends a scene: prints a picture of it, or waits for the next.
  func end(_ next: String) async throws {
    guard terminal != nil else {
      let newest = try await client.state().lastEvent
      while noted < newest { try await Task.sleep(for: Limits.frame) }
      try await refresh()
      model.lampBegan = .now
      return try Output.line(DemoPicture.boxes(model, at: ContinuousClock.now).text)
    }
    model.keys = next
    try Task.checkCancellation()
    await withCheckedContinuation { waiting = $0 }
  }

  // MARK: Tasks beside the scenes

  func draw() async throws {
    guard let terminal else { return }
    var shown: Canvas?
    var resizes = 0
    while !Task.isCancelled {
      try? await refresh()
      // A resized terminal may show anything, even if it has its old size again.
      let newest = DemoTerminal.resizes.load(ordering: .relaxed)
      if newest != resizes { (resizes, shown) = (newest, nil) }
      let size = terminal.size
      let canvas = DemoPicture.screen(model, columns: size.columns, rows: size.rows, at: ContinuousClock.now)
      if canvas != shown { terminal.show(canvas, over: shown) }
      shown = canvas
      try await Task.sleep(for: Limits.frame)
    }
  }

  /// Advances the handset's clock in real time.
  func tick() async throws {
    guard terminal != nil else { return }
    while !Task.isCancelled {
      try await Task.sleep(for: .seconds(1))
      if !isClockBusy { try await advance(by: 1) }
    }
  }

  nonisolated func follow() async throws {
    let client = client
    try await client.events(after: 0, follow: true) { line in await note(try client.event(line)) }
  }

  /// Performs the functions of keys.
  /// - Throws: `DemoQuit`.
  func handleKeys() async throws {
    guard let terminal else { return }
    for await key in terminal.keys {
      switch key {
      // Without the terminal's signals Ctrl-C and Ctrl-D are bytes.
      case "q", "Q", "\u{3}", "\u{4}": throw DemoQuit()
      case _ where !terminal.isLargeEnough: break
      case " ", "\r", "\n": endWaits()
      case "v", "V": _ = try? await client.press("view")
      case "c", "C": _ = try? await client.press("close")
      case "p", "P": try await openPanel()
      default: break
      }
    }
  }

  func endWaits() {
    isHurried = true
    waiting?.resume()
    waiting = nil
  }

  func link(_ address: String) { model.panel = address }

  /// Opens a new link, as each is valid for one browser, and shows it: not every terminal has links.
  private func openPanel() async throws {
    let address = try await client.panelToken().url
    (model.panel, model.notice) = (address, address)
    let line = "[ -z \"$DISPLAY$WAYLAND_DISPLAY\" ] || ! command -v xdg-open || xdg-open \(CurlLine.quoted(address))"
    _ = await daemon.shell(line)
  }

  private func prepare() async throws {
    try await look()
    mark = try await client.state().lastEvent
  }

  func show(_ kind: DemoLine.Kind, _ text: String) throws {
    let end = text.lastIndex { $0 != "\n" }.map(text.index(after:)) ?? text.startIndex
    for line in text[..<end].split(separator: "\n", omittingEmptySubsequences: false) {
      let line = ((kind == .command ? "" : "  ") + line).trimmingEnd()
      model.lines.append(DemoLine(kind: kind, text: line))
      if terminal == nil, !line.isEmpty { try Output.line("   " + line) }
    }
    model.lines.removeFirst(max(0, model.lines.count - Limits.lines))
  }

  private func output(_ result: CollectedProgram.Result, of command: String) throws -> String {
    guard result.status != 0 else { return result.output }
    throw daemon.failure ?? Failure("'\(command)' ended with \(result.status): \(result.output)")
  }

  private func advance(by seconds: Int64) async throws {
    while isClockBusy { try await Task.sleep(for: Limits.frame) }
    isClockBusy = true
    defer { isClockBusy = false }
    _ = try await client.advanceClock(bySeconds: seconds)
  }

  private func refresh() async throws {
    let state = try await client.state()
    let center = try await client.center(of: nil, limit: 20)
    let conditions = try await client.conditions()
    if state.presentation.lamp != model.state?.presentation.lamp { model.lampBegan = .now }
    (model.state, model.center, model.apps) = (state, center, try await client.apps())
    model.conditions = conditions.filter { $0.value == "on" }.map(\.key)
  }

  private func note(_ event: EventReport) async {
    defer { noted = event.sequence }
    switch event.event {
    case Event.Name.soundStarted.rawValue:
      guard let name = event.text("name"),
        let waveform = try? await client.waveform(of: name, app: DemoStory.app)
      else { break }
      model.playing = (waveform: waveform, began: .now, hasEnded: false)
    // A sound that is written to a file ends at once, and is drawn for as long as it would have played.
    case Event.Name.soundEnded.rawValue where event.text("reason") != "finished":
      model.playing?.hasEnded = true
    default: break
    }
    let isQuiet = event.sequence > quiet.after && event.sequence <= quiet.upTo
    if terminal != nil, model.scene > 0, !isQuiet, let words = DemoStage.line(event) { try? show(.event, words) }
  }

  private static let shown: Set<Event.Name> = [
    .presented, .notPresented, .held, .discarded, .delivered, .completed, .display, .soundStarted, .repeated,
    .snoozed, .snoozeEnded, .answered, .seen, .lifecycle, .condition,
  ]

  /// Returns `17:30:00  discarded      a newer update replaced it (U4)`; nil for events that are shown elsewhere.
  private static func line(_ event: EventReport) -> String? {
    guard let name = Event.Name(rawValue: event.event), shown.contains(name) else { return nil }
    var words = ["style", "sound", "name", "button", "state", "result", "condition"].compactMap(event.text)
    if case .flag(let isOn)? = event.fields["on"] { words.append(isOn ? "on" : "off") }
    if let text = event.text("text") {
      if let rule = event.text("rule") {
        words.append("\(text) (\(rule))")
      } else {
        words.append(name == .display ? "\"\(text)\"" : text)
      }
    }
    return
      (ClockFace.local.time(event.wallMicroseconds).prefix(8) + "  " + event.event.padded(to: 13) + "  "
      + words.joined(separator: ", ")).trimmingEnd()
  }
}
