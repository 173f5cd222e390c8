// A multiplexed display must be driven for as long as it shows something. The thread that does it is CScanLoop's; this
// gives it orders in the board's words, and keeps alive what it uses.

import CScanLoop
import Glibc
import Synchronization
import SystemThreads

/// Repeats one frame until the next order. At rest its thread blocks. Orders and news are for one thread, the panel's;
/// statistics for any.
///
/// Safe to hand to that thread: what is mutable here belongs to it, and CScanLoop's own state is atomic.
final class ScanLoop: @unchecked Sendable {
  /// What happened since it was last asked for.
  struct News {
    /// The newest order that was played to the end of a frame, and when.
    var shown: (number: Int, at: Duration)?
    /// The order that failed; the loop rests.
    var fault: (number: Int, fault: LineFault)?
  }

  private let loop: OpaquePointer
  private let realTime: Bool
  private let callbacks: ScanCallbacks
  /// What the newest order sets: held until the loop has let go of it.
  private var lines: ScanLines?
  private var seen = (shown: 0, fault: 0)

  /// - Parameters:
  ///   - realTime: whether to ask for real-time priority.
  ///   - onNews: called on the loop's thread; must not block.
  init(clock: any BoardClock, realTime: Bool, onNews: @escaping @Sendable () -> Void) throws(SystemError) {
    callbacks = ScanCallbacks(clock: clock, onNews: onNews)
    let context = Unmanaged.passUnretained(callbacks).toOpaque()
    var loop: OpaquePointer?
    let onNews: @convention(c) (UnsafeMutableRawPointer?) -> Void = { ScanCallbacks.of($0)?.onNews() }
    let code: Int32
    if clock is MonotonicClock {
      code = scanloop_start(nil, realTime, onNews, context, &loop)
    } else {
      var ownClock = scanloop_clock(
        now: { ScanCallbacks.of($0)?.clock.now().inNanoseconds ?? 0 },
        wait: { ScanCallbacks.of($0)?.clock.wait(until: .nanoseconds($1)) }, context: context)
      code = scanloop_start(&ownClock, false, onNews, context, &loop)
    }
    guard let loop else { throw SystemError(code: -code) }
    self.loop = loop
    self.realTime = realTime
  }

  deinit {
    scanloop_free(loop)
  }

  /// Returns when the thread has ended, after an order that does not repeat was played.
  func stop() { scanloop_stop(loop) }

  /// Plays this from the next frame on. Other lines than before only after a fault: the loop uses the old ones till then.
  /// - Parameters:
  ///   - turn: a digit's; a deadline missed by a tenth of it makes a frame late.
  ///   - repeats: otherwise it is played once, and the loop rests.
  ///   - number: comes back in `News`. Greater than the one before it.
  func play(
    _ frame: LineProgram, on group: any LineGroup, idleLevels: UInt32, turn: Duration, repeats: Bool, number: Int
  ) {
    if lines?.group !== group { lines = ScanLines(group) }
    guard let lines else { return }
    let steps = frame.scanSteps
    let code = steps.withUnsafeBufferPointer { steps in
      var order = scanloop_order(
        steps: steps.baseAddress, count: steps.count, lines: lines.setter, idle_levels: UInt64(idleLevels),
        late_nanoseconds: UInt32(clamping: turn.inNanoseconds / 10), repeats: repeats, number: UInt64(number))
      return scanloop_play(loop, &order)
    }
    // A test holds the longest program of each driver against the loop's limit.
    assert(code == 0)
  }

  func takeNews() -> News {
    let all = scanloop_get_news(loop)
    var news = News()
    if all.shown_number > seen.shown {
      seen.shown = Int(all.shown_number)
      news.shown = (seen.shown, .nanoseconds(all.shown_at))
    }
    if all.fault_number > seen.fault {
      seen.fault = Int(all.fault_number)
      let fault = lines?.fault(ofSetting: -all.fault) ?? LineFault(.failed, "lines cannot be set: error \(-all.fault)")
      news.fault = (seen.fault, fault)
    }
    return news
  }

  /// After the newest order has failed: the lines are free to be requested again.
  func letGo() { lines = nil }

  var report: ScanReport {
    let news = scanloop_get_news(loop)
    let isRefused = news.priority_error != 0
    return ScanReport(
      frames: Int(news.frames), lateFrames: Int(news.late_frames), isRealTime: realTime && !isRefused,
      priorityFault: isRefused ? SystemError(code: news.priority_error).description : nil)
  }
}

/// How scanning goes.
public struct ScanReport: Hashable, Sendable {
  /// What the scan thread asks for of SCHED_FIFO.
  public static let priority = Int(SCANLOOP_PRIORITY)

  /// Since the start.
  public var frames: Int
  /// Of these, with a deadline missed by more than a tenth of a digit's turn.
  public var lateFrames: Int
  /// Whether its thread has real-time priority.
  public var isRealTime: Bool
  /// Why the scan thread was refused real-time priority; nil where it has it, or did not ask.
  public var priorityFault: String?
}

/// What the loop's thread calls.
private final class ScanCallbacks: Sendable {
  let clock: any BoardClock
  let onNews: @Sendable () -> Void

  init(clock: any BoardClock, onNews: @escaping @Sendable () -> Void) {
    self.clock = clock
    self.onNews = onNews
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> ScanCallbacks? {
    context.map { Unmanaged<ScanCallbacks>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// A group as the loop sets it: through its bank where it has one, else, for simulated lines, through this.
private final class ScanLines: Sendable {
  let group: any LineGroup
  private let thrown = Mutex<LineFault?>(nil)

  init(_ group: any LineGroup) {
    self.group = group
  }

  var setter: scanloop_lines {
    if let bank = group.realTimeBank { return scanloop_lines_of_bank(bank) }
    return scanloop_lines(
      set: { context, levels in
        guard let context else { return -EINVAL }
        return Unmanaged<ScanLines>.fromOpaque(context).takeUnretainedValue().set(UInt32(truncatingIfNeeded: levels))
      }, context: Unmanaged.passUnretained(self).toOpaque())
  }

  func fault(ofSetting code: Int32) -> LineFault { thrown.withLock { $0 } ?? group.fault(ofSetting: code) }

  private func set(_ levels: UInt32) -> Int32 {
    do {
      try group.set(mask: .max, levels: levels)
      return 0
    } catch {
      thrown.withLock { $0 = error }
      return -EIO
    }
  }
}

extension LineProgram {
  /// A wait belongs to the set before it. Scanned displays are not sampled.
  var scanSteps: [scanloop_step] {
    var result: [scanloop_step] = []
    for step in steps {
      switch step {
      case .set(let mask, let levels): result.append(scanloop_step(mask: mask, levels: levels, wait_nanoseconds: 0))
      case .wait(let nanoseconds):
        if result.last?.wait_nanoseconds == 0 {
          result[result.count - 1].wait_nanoseconds = nanoseconds
        } else {
          result.append(scanloop_step(mask: 0, levels: 0, wait_nanoseconds: nanoseconds))
        }
      case .expect: break
      }
    }
    return result
  }
}

extension Duration {
  /// Rounded down.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
