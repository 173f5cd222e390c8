// The scan loop's own thread in virtual time: it plays frames until its lines fail, and then all its actions can be
// compared.

import Synchronization
import Testing

@testable import Board

struct ScanRun {
  /// The levels of all lines, and the times at which they were set.
  let sets: [RecordedGroup.Set]
  let report: ScanReport
  let news: ScanLoop.News

  /// - Parameters:
  ///   - sets: the number of sets that succeed; the next one fails.
  ///   - delays: returns the time that a set takes, by its number.
  init(
    _ frame: LineProgram, digits: Int, on group: (any LineGroup)? = nil, idleLevels: UInt32 = 0,
    clock: any BoardClock, sets: Int, delay: @escaping @Sendable (Int) -> Duration = { _ in .zero }
  ) async throws {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let scan = try ScanLoop(clock: clock, realTime: true) { continuation.yield() }
    let recorded = RecordedGroup(group, clock: clock, limit: sets, delay: delay)
    scan.play(
      frame, on: recorded, idleLevels: idleLevels, turn: frame.duration / digits, repeats: true, number: 1)
    var news = ScanLoop.News()
    for await _ in stream {
      let more = scan.takeNews()
      if let shown = more.shown { news.shown = shown }
      if let fault = more.fault {
        news.fault = fault
        break
      }
    }
    self.news = news
    report = scan.report
    scan.stop()
    self.sets = recorded.sets
  }
}

/// A group of lines that records the sets.
final class RecordedGroup: LineGroup {
  struct Set: Hashable, Sendable {
    var levels: UInt32
    var at: Duration
  }

  static let fault = LineFault(.failed, "it has had enough")

  private let group: (any LineGroup)?
  private let clock: any BoardClock
  private let limit: Int
  private let delay: @Sendable (Int) -> Duration
  private let recorded = Mutex<[Set]>([])

  init(
    _ group: (any LineGroup)?, clock: any BoardClock, limit: Int, delay: @escaping @Sendable (Int) -> Duration
  ) {
    self.group = group
    self.clock = clock
    self.limit = limit
    self.delay = delay
  }

  var sets: [Set] { recorded.withLock { $0 } }

  func set(mask: UInt32, levels: UInt32) throws(LineFault) {
    let now = clock.now()
    let place = recorded.withLock { sets in
      if sets.count < limit { sets.append(Set(levels: levels, at: now)) } else { return -1 }
      return sets.count - 1
    }
    guard place >= 0 else { throw RecordedGroup.fault }
    try group?.set(mask: mask, levels: levels)
    let delay = delay(place)
    if delay > .zero { clock.wait(until: now + delay) }
  }

  func level(of line: Int) throws(LineFault) -> Bool { try group?.level(of: line) ?? false }
}
