// Measures if a push costs the same with much stored as with nothing, in processor time of this thread, which is
// independent of the disk and of other programs; Benchmarks/bench.py measures the same through the network.

import ArgumentParser
import FoundationEssentials
import Glibc
import HandsetCore
import HandsetStore

@main
struct PushCost: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push-cost", abstract: "What one push costs the handset and its store, with little and much stored.",
    subcommands: [Measure.self, Writes.self, Load.self, Fill.self, Handsets.self])
}

/// Prints one JSON object for each case and kind of push.
struct Measure: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure a push with 10 and 10,000 apps, none and all stored.")

  @Option(help: "Rounds of each case, taken in turns; the median counts.")
  var rounds = 7
  @Option(help: "Pushes a round.")
  var pushes = 500
  @Argument(help: "A folder on the disk to measure with; cases are made in it.")
  var folder: String

  func run() throws {
    for kind in StoredHandset.Kind.allCases {
      var cases: [Case] = []
      for apps in [10, Policy.appLimit] {
        for stored in [0, min(Policy.centerLimit, apps * Policy.centerLimitPerApp)] {
          cases.append(try Case(folder: "\(folder)/\(kind)-\(apps)-\(stored)", apps: apps, stored: stored, kind: kind))
        }
      }
      for _ in 0..<rounds {
        for index in cases.indices { try cases[index].measure(pushes) }
      }
      for measured in cases { print(try measured.line()) }
    }
  }
}

/// Prints one JSON object for a push in a commit of its own and one for a push in a batch.
struct Writes: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measure the bytes that a push writes, and the processor's time of its commit.")

  @Option(help: "Pushes that share a commit, one or more numbers.")
  var batches = [1, 100]
  @Option(help: "Commits of each.")
  var commits = 100
  @Option(help: "Apps, to which the pushes go in turn.")
  var apps = 10
  @Option(help: "Notifications that are stored before.")
  var stored = 0
  @Argument(help: "A folder on the disk to measure with.")
  var folder: String

  private struct Report: Encodable {
    var batch: Int
    /// The bytes of the write-ahead log, and those including the copies of checkpoints to the database.
    var logBytes: Double
    var allBytes: Double
    var microseconds: Double
  }

  func run() throws {
    for batch in batches {
      var filled = try StoredHandset(directory: "\(folder)/writes-\(batch)-\(stored)", apps: apps)
      try filled.send(stored, .alert)
      var bytes: [Double] = []
      var microseconds: [Double] = []
      for _ in 0..<commits {
        let turns = (0..<batch).compactMap { _ in filled.nextPush(.alert) }.map { filled.take($0) }
        let (written, started) = (writtenBytes(), processorMicroseconds())
        try filled.commit(turns)
        microseconds.append((processorMicroseconds() - started) / Double(batch))
        bytes.append(Double(writtenBytes() - written) / Double(batch))
      }
      let report = Report(
        batch: batch, logBytes: median(bytes), allBytes: bytes.reduce(0, +) / Double(bytes.count),
        microseconds: median(microseconds))
      print(try json(report))
    }
  }
}

/// Prints the cost of loading a handset, in milliseconds of this thread's processor time.
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measure how a handset is loaded from a state directory.")

  @Argument(help: "A state directory that no daemon uses.")
  var state: String

  private struct Report: Encodable {
    var open: Double
    var load: Double
    var make: Double
    var start: Double
  }

  func run() throws {
    var times = [processorMicroseconds()]
    func elapsed() -> Double {
      times.append(processorMicroseconds())
      return (times[times.count - 1] - times[times.count - 2]) / 1_000
    }
    let store = try HandsetStore(directory: state)
    let open = elapsed()
    let contents = try store.load(handset: .first).contents
    let load = elapsed()
    var handset = Handset(contents)
    let make = elapsed()
    let now = Moment(uptime: .seconds(1), wall: WallTime(seconds: 1_800_000_000))
    let turn = handset.handle(.start(.daemon), at: now)
    try store.commit([HandsetTurn(handset: .first, turn: turn)], durable: true)
    print(try json(Report(open: open, load: load, make: make, start: elapsed())))
  }
}

/// Creates a state directory for a daemon. Prints the first app's token, and the growth of the handset's memory by the
/// notifications.
struct Fill: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Fill a state directory, and say what that took of memory.")

  @Option(help: "Apps.")
  var apps: Int
  @Option(help: "Notifications, of all apps in turn.")
  var notifications: Int
  @Argument(help: "The state directory.")
  var state: String

  func run() throws {
    var filled = try StoredHandset(directory: state, apps: apps)
    let before = residentBytes()
    try filled.send(notifications, .alert)
    let grown = residentBytes() - before
    print(try json(["token": filled.token?.hex ?? "", "grownBytes": String(grown)]))
  }
}

/// Creates a state directory with many handsets. Prints the device tokens of all apps, one per line.
struct Handsets: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Make a state directory with many handsets.")

  @Option(help: "Handsets.")
  var handsets: Int
  @Option(help: "Apps on each handset.")
  var apps: Int
  @Argument(help: "The state directory.")
  var state: String

  func run() throws {
    let store = try HandsetStore(directory: state)
    var devices: UInt64 = 0
    let stored = try store.handsets(named: (1...handsets).map(String.init)) {
      devices += 1
      return DeviceID(bytes: bytes(devices, count: DeviceID.byteCount))!
    }
    let now = Moment(uptime: .seconds(1), wall: WallTime(seconds: 1_800_000_000))
    var turns: [HandsetTurn] = []
    for (place, id) in stored.listed.map(\.id).enumerated() {
      var handset = Handset()
      for number in 0..<apps {
        let token = DeviceToken(bytes: bytes(UInt64(place * apps + number + 1), count: 32))!
        let manifest = AppManifest(
          id: AppID("com.example.app\(number)")!, name: "Mailroom", receivesBackgroundUpdates: true, sounds: ["letter"])
        for input in [Input.install(manifest, token: token), .register(manifest.id, .all, token: token)] {
          turns.append(HandsetTurn(handset: id, turn: handset.handle(input, at: now)))
        }
        print(token.hex)
      }
    }
    try store.commit(turns, durable: true)
  }

  private func bytes(_ number: UInt64, count: Int) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) } + [UInt8](repeating: 0xA5, count: count - 8)
  }
}

/// A handset, and the cost of a push in each round.
struct Case {
  private var filled: StoredHandset
  private let apps: Int
  private let stored: Int
  private let kind: StoredHandset.Kind
  private var coreMicroseconds: [Double] = []
  private var wholeMicroseconds: [Double] = []

  private struct Report: Encodable {
    var kind: String
    var apps: Int
    var stored: Int
    var core: Double
    var coreAndStore: Double
  }

  init(folder: String, apps: Int, stored: Int, kind: StoredHandset.Kind) throws {
    self.apps = apps
    self.stored = stored
    self.kind = kind
    filled = try StoredHandset(directory: folder, apps: apps)
    try filled.send(stored, .alert)
    // Once for each app, so that no measured push is the app's first.
    try filled.send(apps, kind)
    if stored == 0 { try filled.clear() }
  }

  /// Measures pushes, each in a commit of its own, so that no cost is shared.
  mutating func measure(_ pushes: Int) throws {
    var core = 0.0
    let start = processorMicroseconds()
    for _ in 0..<pushes {
      guard let push = filled.nextPush(kind) else { return }
      let before = processorMicroseconds()
      let turn = filled.take(push)
      core += processorMicroseconds() - before
      try filled.commit([turn])
    }
    coreMicroseconds.append(core / Double(pushes))
    wholeMicroseconds.append((processorMicroseconds() - start) / Double(pushes))
    if stored == 0 { try filled.clear() }
  }

  func line() throws -> String {
    let report = Report(
      kind: kind.rawValue, apps: apps, stored: stored, core: median(coreMicroseconds),
      coreAndStore: median(wholeMicroseconds))
    return try json(report)
  }
}

private func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

private func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

/// Returns the memory of this process, without pages shared with files.
private func residentBytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
  let pages = text.split(separator: " ").compactMap { Int($0) }
  return pages.count > 2 ? (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// Returns the bytes that this process has written so far.
private func writtenBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix("wchar:") }
  return line.flatMap { Int($0.dropFirst("wchar:".count).drop { $0 == " " }) } ?? 0
}

/// Returns the processor time of this thread, in kernel and user mode.
private func processorMicroseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}
