// A multiplexed display must be driven for as long as it shows something. That is a thread of its own, so that a slow
// reader of reports cannot make digits flicker. What crosses between the threads is one order and one answer, so that
// the loop can be exchanged for one in C under real-time priority without the panel noticing.

import Synchronization
import SystemThreads

/// Repeats one frame until told otherwise. At rest its thread blocks.
final class ScanLoop: Sendable {
  /// What to play.
  struct Order: Sendable {
    var frame: LineProgram
    var group: any LineGroup
    /// Otherwise it is played once, and the loop rests.
    var repeats: Bool
    /// Comes back in `News.shown`.
    var number: Int
  }

  /// What happened since it was last asked for.
  struct News: Sendable {
    /// The newest order that was played to the end of a frame, and when.
    var shown: (number: Int, at: Duration)?
    /// The order that failed; the loop rests.
    var fault: (number: Int, fault: LineFault)?
  }

  private struct Desk: Sendable {
    var order: Order?
    var quits = false
    var news = News()
  }

  private let desk = Mutex(Desk())
  /// Counts orders, so that the loop looks at the desk between frames only where there is something on it.
  private let orderCount = Atomic(0)
  private let bell: Doorbell
  private let onNews: @Sendable () -> Void
  private let clock: any BoardClock

  /// - Parameter onNews: called on the loop's thread; must not block.
  init(clock: any BoardClock, onNews: @escaping @Sendable () -> Void) throws(SystemError) {
    self.bell = try Doorbell()
    self.clock = clock
    self.onNews = onNews
  }

  /// Plays this from the next frame on.
  func play(_ order: Order) {
    desk.withLock { $0.order = order }
    orderCount.add(1, ordering: .releasing)
    bell.ring()
  }

  /// Lets `run` return, after an order that does not repeat was played.
  func quit() {
    desk.withLock { $0.quits = true }
    orderCount.add(1, ordering: .releasing)
    bell.ring()
  }

  func takeNews() -> News {
    desk.withLock { desk in
      defer { desk.news = News() }
      return desk.news
    }
  }

  /// The thread's body.
  func run() {
    let player = ProgramPlayer(clock: clock)
    var takenCount = 0
    var playing: Order?
    var isFirstFrame = false
    var quits = false
    var frameStart = Duration.zero
    while true {
      let count = orderCount.load(ordering: .acquiring)
      if count != takenCount {
        takenCount = count
        let order = desk.withLock { desk in
          defer { desk.order = nil }
          quits = desk.quits
          return desk.order
        }
        if let order {
          playing = order
          isFirstFrame = true
        }
      }
      if quits && playing?.repeats != false { return }
      guard playing != nil else {
        bell.wait(timeout: nil)
        continue
      }
      // The lines are let go before the news is out: whoever hears of a failure takes them anew.
      if playFrame(of: &playing, player, isFirst: isFirstFrame, start: &frameStart) { onNews() }
      isFirstFrame = false
    }
  }

  /// - Returns: whether there is news.
  private func playFrame(
    of playing: inout Order?, _ player: ProgramPlayer, isFirst: Bool, start: inout Duration
  ) -> Bool {
    guard let order = playing else { return false }
    do {
      var findings = ProgramPlayer.Findings()
      // Behind by a whole frame or more (first frame, suspended machine): begin anew rather than catch up.
      let now = clock.now()
      if now - start > order.frame.duration { start = now }
      start = try player.playFrame(order.frame, on: order.group, start: start, &findings)
      if !order.repeats { playing = nil }
      guard isFirst else { return false }
      let shownAt = findings.lastSet ?? start
      desk.withLock { $0.news.shown = (order.number, shownAt) }
    } catch {
      desk.withLock { $0.news.fault = (order.number, error) }
      playing = nil
    }
    return true
  }
}
