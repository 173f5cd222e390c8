// Thousands of random inputs, written as stories: a failing run is cut down to the fewest commands that still fail, and
// can be put into Tests/Core/Stories as it is. HANDSET_SEED=7 runs that seed alone, HANDSET_COMMANDS=5000 makes each run
// longer.

import Foundation
import TestSupport
import Testing

@testable import HandsetCore

@Suite struct RandomRunTests {
  private static let environment = ProcessInfo.processInfo.environment
  static let seeds: [UInt64] = environment["HANDSET_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...24)
  static let commands = environment["HANDSET_COMMANDS"].flatMap { Int($0) } ?? 300

  @Test(arguments: seeds)
  func whatMustHoldAlwaysDoes(seed: UInt64) {
    var random = SplitMix64(state: seed)
    let lines = RandomStory.lines(RandomRunTests.commands, using: &random)
    guard let found = problems(of: lines).first else { return }
    let smallest = shrink(Array(lines.prefix(found.line))) { !problems(of: $0).isEmpty }
    let last = problems(of: smallest).map(\.problem).joined(separator: "\n")
    Issue.record("seed \(seed): run it alone with HANDSET_SEED=\(seed)\n\(smallest.joined(separator: "\n"))\n\(last)")
  }

  @Test func theSameSeedMakesTheSameRun() {
    var (one, two) = (SplitMix64(state: 5), SplitMix64(state: 5))
    #expect(RandomStory.lines(200, using: &one) == RandomStory.lines(200, using: &two))
  }

  /// Checks that every command and every kind of event occurs, because a run without them proves nothing.
  @Test func theRunsReachEverything() {
    var commands: Set<String> = []
    var events: Set<String> = []
    let discarded: [Event.Discarded] = [
      .noBackgroundMode, .killed, .forceQuit, .isForceQuit, .died, .disconnected, .stopped, .offeredTwice, .expired,
      .expiredOffline, .notKept, .uninstalled, .unregistered, .replaced, .replacedOffline,
    ]
    let wanted = Set(
      (Event.Held.allCases.map(\.reason) + discarded.map(\.reason)).map { "reason=\($0.code) " }
        + ["attempt=2", "dimmed"])
    var reasons: Set<String> = []
    for seed in UInt64(1)...80 {
      var random = SplitMix64(state: seed)
      let played = Story(file: "random", text: RandomStory.lines(300, using: &random).joined(separator: "\n")).play()
      for line in played.lines {
        let words = line.split(separator: " ").map(String.init)
        reasons.formUnion(wanted.filter { line.contains($0) })
        if line.hasPrefix(" ") { events.insert(words[0]) } else { commands.insert(words[1]) }
      }
    }
    #expect(commands.isSuperset(of: RandomStory.commandNames))
    #expect(wanted.subtracting(reasons).sorted() == [])
    let awaited: Set = [
      "installed", "uninstalled", "registered", "unregistered", "lifecycle", "setting", "refused", "duplicate",
      "reused-id", "bad-badge", "presented", "not-presented", "badge", "answered",
      "alert-dropped", "cleared", "held", "discarded", "delivered", "completed", "timed-out", "condition", "kept",
      "arrived", "scheduled", "unscheduled", "due", "node-created", "node-deleted", "time-zone",
      "foreground-presentation", "button", "deferred", "focus", "seen", "repeated", "repeat-ended", "snoozed",
      "snooze-ended", "call-queued",
      "called", "activity", "extended", "reload", "fetched",
      "call-failed", "call-ended", "responded", "selected", "at", "=",
      ">", "!",
    ]
    #expect(awaited.subtracting(events) == [])
  }

  @Test func shrinkingKeepsWhatItTakesToFail() {
    let lines = (1...100).map(String.init)
    #expect(shrink(lines) { $0.contains("17") && $0.contains("64") } == ["17", "64"])
    #expect(shrink(lines) { $0.count >= 3 }.count == 3)
  }

  private func problems(of lines: [String]) -> [(line: Int, problem: String)] {
    Story(file: "random", text: lines.joined(separator: "\n")).play().problems
  }
}

/// Removes ever smaller pieces for as long as the rest still fails.
func shrink(_ lines: [String], whileFailing fails: ([String]) -> Bool) -> [String] {
  var lines = lines
  var size = max(lines.count / 2, 1)
  while true {
    var start = 0
    var hasShrunk = false
    while start < lines.count {
      var fewer = lines
      fewer.removeSubrange(start..<min(start + size, lines.count))
      if fails(fewer) {
        lines = fewer
        hasShrunk = true
      } else {
        start += size
      }
    }
    if size == 1 && !hasShrunk { return lines }
    size = max(size / 2, 1)
  }
}

private let apps = ["mail", "news", "chess", "game"]
private let kinds = ["badge", "sound", "alert"]

/// The commands, each with its share of all.
private let weights: [(name: String, weight: Int)] = [
  ("push", 56), ("install", 5), ("uninstall", 1), ("register", 6), ("unregister", 2), ("launch", 4),
  ("background", 3), ("kill", 2), ("force-quit", 2), ("badge", 3), ("set", 14), ("press", 6), ("clear", 5),
  ("restart", 2), ("boot", 1), ("clock", 1), ("wait", 3), ("wake", 1), ("refused", 1),
  ("listen", 9), ("disconnect", 8), ("die", 2), ("complete", 8), ("timeout", 2), ("condition", 4),
  ("create", 4), ("delete", 1), ("publish", 10), ("schedule", 6), ("cancel", 2), ("retract", 4), ("zone", 1),
  ("foreground", 2), ("snooze", 3), ("end-snooze", 1), ("action", 2), ("called", 6),
  ("fetch", 5),
  ("open", 3), ("remove", 2), ("delivered", 1), ("keep", 6), ("forward", 3), ("live", 14), ("mint", 8),
  ("broadcast", 3),
  ("activity", 5), ("dismiss-activity", 1),
  ("extended", 8), ("focus", 3),
]

enum RandomStory {
  private static let pauses: [Duration] = [
    .zero, .zero, .zero, .zero, .milliseconds(1), .milliseconds(1), .seconds(1), .seconds(1), .seconds(1), .seconds(1),
    .milliseconds(4999), .milliseconds(4999), .seconds(5), .seconds(5), .seconds(30), .seconds(60), .seconds(600),
    .seconds(3600), .seconds(40 * 3600), .seconds(11 * 24 * 3600),
  ]

  static let commandNames = weights.map(\.name).filter { $0 != "live" }

  static func lines(_ count: Int, using random: inout SplitMix64) -> [String] {
    var time = Duration.zero
    var pushes = 0
    // A clock is not set back in runs with changes of the zone or missed times: a calendar records its presented times
    // as one span, in one zone.
    let setsBack = Bool.random(using: &random)
    var isSetBack = false
    var lines = apps.dropLast().flatMap {
      [
        "0s install \($0) background category.ask=ACCEPT*,REPLY?,DELETE# sounds=bell\($0 == "mail" ? " display=a activity-lamp=breathe" : "")\($0 == "mail" ? " extension" : "")\($0 == "news" ? " hooks notification-hook" : " acknowledge=https://a.example/")",
        "0s register \($0) badge sound alert",
      ]
    }
    lines += ["0s set mail style alert", "0s set chess style alert"]
    while lines.count < count {
      time += pauses.randomElement(using: &random)!
      let next = random.command(after: pushes)
      if next.hasPrefix("clock -") {
        if isSetBack { continue }
        isSetBack = setsBack && next.hasPrefix("clock -50d")
      }
      if setsBack ? next.hasPrefix("zone ") || next.hasSuffix(" late") : next.hasPrefix("clock -") { continue }
      if ["push ", "keep ", "publish ", "refused ", "schedule ", "broadcast "].contains(where: next.hasPrefix) {
        pushes += 1
      }
      // Its activity: more updates of it than an hour's budget follow.
      if next.hasPrefix("many 17 ") {
        lines.append("\(time.story) activity \(next.split(separator: " ")[3]) start state.a=0")
      }
      lines.append("\(time.story) \(next)")
    }
    return lines
  }
}

/// Commands that are drawn with it.
extension SplitMix64 {
  private mutating func one(_ choices: [String]) -> String { choices.randomElement(using: &self)! }

  private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// - Parameter pushes: the number of pushes before it.
  fileprivate mutating func command(after pushes: Int) -> String {
    var place = number(0...weights.reduce(0) { $0 + $1.weight } - 1)
    let name = weights.first { entry in
      place -= entry.weight
      return place < 0
    }!.name
    switch name {
    case "push" where chance(2): return "many 5 push \(one(apps)) background"
    case "push" where chance(1): return "many 33 push \(one(["mail", "chess"])) alert=\"Many #\""
    case "push", "keep": return push(name, after: pushes)
    case "live" where chance(8):
      return "many 17 push \(one(apps + ["mail", "mail"])) key activity=update state.a=#"
    case "live": return "push \(one(apps + ["mail", "news"])) \(activity(one(["start", "update", "update", "end"])))"
    case "mint": return "mint \(one(apps)) \(one(["push-to-start", "activity", "activity"]))"
    case "broadcast": return "broadcast \(one(apps)) dHN0 \(activity(one(["update", "update", "end", "start"])))"
    case "activity":
      let event = one(["start", "update", "end"])
      return "activity \(one(apps)) \(event) state.a=\(number(0...99)) \(dates)"
    case "create", "delete": return "\(name) \(one(apps)) node\(number(1...2))"
    case "publish":
      var words = ["publish \(one(apps)) node\(number(1...2))"]
      if chance(70) { words.append("alert=\"Text \(number(1...9))\"") }
      if chance(40) { words.append("badge=\(one(["0", "1", "7"]))") }
      if chance(20) { words.append("no-action") }
      return words.joined(separator: " ")
    case "install": return install()
    case "register":
      let asked = kinds.filter { _ in chance(80) } + (chance(20) ? ["provisional"] : [])
      return (["register", one(apps)] + asked).joined(separator: " ")
    case "focus": return focusMode()
    case "listen": return "listen \(one(apps)) \(one(["foreground", "background", "background", "notRunning"]))"
    case "complete":
      // The offered pushes are among the last.
      let push = "P\(max(1, pushes - number(0...4)))"
      return "complete \(one(apps)) \(push) result=\(one(DeliveryResult.allCases.map(\.rawValue)))"
    case "extended":
      let push = "P\(max(1, pushes - number(0...4)))"
      let answer = one([
        "timed-out", "failed=busy", "alert=\"Changed\"", "alert=\"Changed\" badge=2 sound=bell", "badge=3",
      ])
      return "extended \(one(apps + ["mail", "mail"])) \(push) \(answer)"
    case "timeout": return "timeout \(one(apps)) P\(max(1, pushes - number(0...4)))"
    case "condition":
      return "condition \(one(Condition.allCases.map(\.rawValue))) \(one(["on", "off", "off", "off"]))"
    case "badge": return "badge \(one(apps)) \(number(-1...3))"
    case "set": return setting()
    case "press": return "press \(one(["close", "close", "view"]))\(chance(15) ? " long" : "")"
    case "foreground": return (["foreground", one(apps)] + kinds.filter { _ in chance(50) }).joined(separator: " ")
    case "zone": return "zone \(one(StoryZone.named.keys.sorted()))"
    case "schedule": return schedule()
    case "retract": return "retract \(one(apps)) \(one(["c1", "c2", "l1"])) \(chance(50) ? "seen" : "removed")"
    case "action": return "action \(one(apps)) P\(max(1, pushes - number(0...4))) https://example.com/"
    case "open":
      let action = chance(60) ? " action=\(one(["ACCEPT", "REPLY", "REPLY text=Yes", "DELETE", "Gate", "2"]))" : ""
      return "open P\(max(1, pushes - number(0...6)))\(action)\(action.isEmpty && chance(10) ? " text=Yes" : "")"
    case "remove": return "remove \(one(apps)) \(one(["all", "P\(max(1, pushes - number(0...6)))"]))"
    case "called":
      return "called P\(max(1, pushes - number(0...9)))\(one(["", "", " failed=busy", " gave-up=gone"]))"
    case "fetch": return "fetch \(one(apps + ["all", "all"]))"
    case "snooze": return "snooze \(one(apps + ["all"])) \(one(["1m", "90s", "1h", "1s", ""]))"
    case "end-snooze": return "end-snooze \(one(apps + ["all", "all"]))"
    case "cancel": return "cancel \(one(apps))\(chance(60) ? " l\(number(1...4))" : "")"
    case "clear": return "clear \(one(apps + ["all"] + ["P\(number(1...200))"]))"
    case "restart", "boot": return chance(30) ? "\(name) late" : name
    case "clock": return "clock \(one(["-1h", "1h", "-50d", "50d", "900ms"]))\(chance(20) ? " unnoticed" : "")"
    case "wait", "wake", "forward": return name
    case "refused": return "refused 400 BadPath topic=\(one(apps))"
    default: return "\(name) \(one(apps))"
    }
  }

  private mutating func push(_ name: String, after pushes: Int) -> String {
    // Often for the same few apps, so that a budget is sometimes used up.
    var words = [name, one(apps + ["mail", "mail", "news"])]
    if chance(8) { words.append("\(one(["again", "again", "id"]))=P\(max(1, pushes - number(0...4)))") }
    if chance(8) { words.append("made-id") }
    if chance(40) { return words.joined(separator: " ") + " background\(chance(20) ? " expires=1h" : "")" }
    if chance(25) { words.append("type=\(one(PushType.allCases.map(\.rawValue) + ["voip", "voip", "pushtotalk"]))") }
    if chance(30) { words.append("mutable") }
    if chance(70) { words.append("alert=\"Text \(number(1...9))\"") }
    if chance(40) { words.append("badge=\(one(["0", "0", "1", "7", "9999", "-1", "9223372036854775807"]))") }
    if chance(30) { words.append("sound=\(one(["bell", "bell.wav", "default", "missing", "chime", "wood.wav"]))") }
    if chance(40) { words.append("level=\(one(InterruptionLevel.allCases.map(\.rawValue)))") }
    if chance(40) { words.append("collapse=c\(number(1...2))") }
    if chance(20) { words.append("content-available") }
    if !words.contains(where: { $0.hasPrefix("type=") }) && chance(15) { words.append("background") }
    if chance(10) { words.append("no-action") }
    if chance(10) { words.append("target=news/\(number(1...3))") }
    if chance(25) { words.append("category=\(one(["ask", "ask", "none"]))") }
    if chance(10) { words.append("launch-image=Splash") }
    if chance(10) { words.append("action.Gate=https://example.com/\(one(["", ",keep"])) action.Tell=app") }
    if chance(15) {
      words.append("repeat")
      if chance(70) { words.append("every=\(one(["10s", "13s", "60s", "1h"]))") }
      words.append("times=\(number(1...5))")
    }
    if chance(30) { words.append("expires=\(one(["once", "1s", "1m", "1h", "20d"]))") }
    if chance(15) { words.append("key") }
    if chance(15) { words.append("tags=door,bell\(one(["", ",sos"]))") }
    if chance(15) { words.append("else-level=\(one(InterruptionLevel.allCases.map(\.rawValue)))") }
    if chance(8) { words.append("token=T\(number(1...60))") }
    if chance(25) { words.append("priority=\(one(["1", "5", "5"]))") }
    if chance(10) { words.append("relevance=\(one(["0", "0.5", "1"]))") }
    if chance(10) { words.append("criteria=\(one(["work", "home"]))") }
    if chance(2) { words.append("topic=\(one(apps))") }
    return words.joined(separator: " ")
  }

  private mutating func activity(_ event: String) -> String {
    var words = ["activity=\(event)", "state.a=\(number(0...99))", dates]
    if event == "start" || chance(20) { words.append("alert=\"Live \(number(1...9))\"") }
    if chance(20) { words.append("sound=bell") }
    if chance(80) { words.append("token=\(event == "start" ? "start" : "live")") }
    if chance(20) { words.append("priority=5") }
    if chance(20) { words.append("expires=\(one(["once", "1m", "2h"]))") }
    return words.joined(separator: " ")
  }

  private var dates: String {
    mutating get {
      var words: [String] = []
      if chance(20) { words.append("stamp=\(one(["-1m", "0s", "-2h", "1m"]))") }
      if chance(30) { words.append("stale=\(one(["1s", "1h", "-1s"]))") }
      if chance(30) { words.append("dismissal=\(one(["1m", "2h", "9h", "-1s"]))") }
      if chance(40) { words.append("relevance=\(one(["1", "50", "50", "-1.5"]))") }
      if chance(20) { words.append("channel=dHN0") }
      return words.joined(separator: " ")
    }
  }

  private mutating func focusMode() -> String {
    let name = one(["work", "sleep", "work", "nap"])
    if chance(20) { return "focus \(name) remove" }
    var words = ["focus", name, "allow=\(apps.filter { _ in chance(40) }.joined(separator: ","))"]
    if chance(30) { words.append("no-time-sensitive") }
    if chance(30) { words.append("filter.\(one(apps))=work") }
    if chance(50) { words.append("hours=\(one(["22:00-07:00", "00:00-00:01", "01:30-02:30", "07:00-22:00"]))") }
    return words.joined(separator: " ")
  }

  private mutating func install() -> String {
    var words = ["install", one(apps)]
    if chance(70) { words.append("background") }
    if chance(40) { words.append(one(["hooks", "hooks notification-hook"])) }
    if chance(60) { words.append("category.ask=ACCEPT*,REPLY?,DELETE#") }
    if chance(50) { words.append("extension") }
    if chance(20) { words.append("modes=\(one(["none", "voip", "voip,push-to-talk", "complication,location"]))") }
    if chance(40) { words.append("acknowledge=https://example.com/a") }
    if chance(50) { words.append("lamp=\(one(LampPattern.all.map(\.name)))") }
    if chance(60) { words.append(one(["live-activity", "display=a", "countdown=a", "display=a activity-lamp=sos"])) }
    if chance(40) { words.append("foreground=\(kinds.filter { _ in chance(50) }.joined(separator: ","))") }
    return words.joined(separator: " ")
  }

  private mutating func setting() -> String {
    if chance(20) { return "set handset notifications \(one(["on", "on", "off"]))" }
    if chance(12) { return "set handset fetch-mode \(one(["push", "push", "push", "fetch", "fetch", "manual"]))" }
    if chance(5) { return "set handset fetch-interval \(one(["1m", "30m", "2h", "24h", "0m"]))" }
    if chance(15) {
      let hours = one(["off", "22:00-07:00", "07:00-22:00", "25:00-07:00"])
      return "set handset \(one(["quiet-hours", "night-hours"])) \(hours)"
    }
    if chance(15) { return "set handset vibrate-on-\(one(["ring", "silent"])) \(one(["on", "off"]))" }
    if chance(5) { return "set handset default-sound \(one(["default", "chime"]))" }
    if chance(15) { return "set handset badge-shows \(one(apps + ["sum"]))" }
    if chance(8) { return "set handset summary \(one(["off", "08:00,18:00", "00:00,02:30", "25:00"]))" }
    if chance(8) { return "set handset focus \(one(["off", "work", "sleep"]))" }
    if chance(12) { return "set \(one(apps)) summary \(one(["on", "on", "off"]))" }
    if chance(10) { return "set handset \(one(["volume", "night-volume"])) \(one(["0", "40%", "same", "100%"]))" }
    let key = one(AppSettings.Key.allCases.map(\.rawValue) + ["style", "style", "alert", "alert"])
    let values = [
      "style": ["none", "banner", "alert", "alert"], "volume": ["0%", "30%", "100%"],
      "repeat": ["off", "asked", "urgent", "all"], "repeat-every": ["10s", "90s", "1h", "9s"],
      "repeat-times": ["1", "3", "101"], "default-sound": ["default", "harp", "gong"],
      "show-previews": ["always", "when-unlocked", "never"], "badge-shows": ["sent", "unseen", "unseen"],
    ]
    return "set \(one(apps)) \(key) \(one(values[key] ?? ["on", "on", "off"]))"
  }

  private mutating func schedule() -> String {
    var words = ["schedule", one(apps), "l\(number(1...4))", "alert=\"Local \(number(1...9))\""]
    // A repetition every minute would wake the handset for most of the run.
    let isLong = chance(50)
    words.append(
      isLong
        ? one(["in=40h", "in=9d"])
        : one([
          "in=0s", "in=1s", "in=59s repeat", "in=1h", "at=07:00", "at=02:30", "at=12:00 weekday=1",
          "at=00:00 on=*-02-29 repeat", "at=01:30 on=2026-10-25", "at=10:00 on=2025-01-01", "at=07:00 repeat",
          "at=02:30 repeat",
        ]))
    if isLong && chance(50) { words.append("repeat") }
    if chance(30) { words.append("badge=\(one(["0", "3", "-1"]))") }
    if chance(50) { words.append("sound=\(one(["bell", "default"]))") }
    if chance(20) { words.append("level=\(one(InterruptionLevel.allCases.map(\.rawValue)))") }
    return words.joined(separator: " ")
  }
}
