// A multiplexed display must be driven for as long as it shows something. CScanLoop's thread does that; this type gives
// it orders in the board's terms and keeps the objects that it uses alive.

import CScanLoop
import Glibc
import Synchronization
import SystemThreads

/// A loop that repeats one frame until the next order. At rest its thread blocks. Only the front's thread may give
/// orders and take news; any thread may read statistics.
///
/// May move to the front's thread: the mutable properties belong to that thread, and CScanLoop's own state is atomic.
final class ScanLoop: @unchecked Sendable {
  /// The events since the last call.
  struct News {
    /// The newest order that was played to the end of a frame, and the time of that end.
    var shown: (number: Int, at: Duration)?
    /// The order that failed; the loop rests.
    var fault: (number: Int, fault: LineFault)?
  }

  private let loop: OpaquePointer
  private let realTime: Bool
  private let callbacks: ScanCallbacks
  /// The lines of the newest order, held until the loop no longer uses them.
  private var lines: ScanLines?
  private var seen = (shown: 0, fault: 0)

  /// - Parameter onNews: called on the loop's thread; must not block.
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

  /// Waits until the thread has ended, after it played an order that does not repeat.
  func stop() { scanloop_stop(loop) }

  /// Plays this frame from the next one on. Only after a fault may the lines change: the loop uses the old ones until
  /// then.
  /// - Parameters:
  ///   - turn: the length of a digit's turn; a deadline missed by a tenth of it makes a frame late.
  ///   - repeats: if false, the frame is played once, and the loop rests.
  ///   - number: the number that `News` returns. Greater than the one before it.
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
    // A test checks the longest program of each driver against the loop's limit.
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

  /// Releases the lines after the newest order has failed, so that they can be requested again.
  func letGo() { lines = nil }

  var report: ScanReport {
    let news = scanloop_get_news(loop)
    let isRefused = news.priority_error != 0
    return ScanReport(
      frames: Int(news.frames), lateFrames: Int(news.late_frames), isRealTime: realTime && !isRefused,
      priorityFault: isRefused ? SystemError(code: news.priority_error).description : nil)
  }
}

/// The statistics of the scan loop.
public struct ScanReport: Hashable, Sendable {
  /// The SCHED_FIFO priority that the scan thread asks for.
  public static let priority = Int(SCANLOOP_PRIORITY)

  public var frames: Int
  /// The frames with a deadline missed by more than a tenth of a digit's turn.
  public var lateFrames: Int
  /// True if the scan thread has real-time priority.
  public var isRealTime: Bool
  /// The reason why the scan thread was refused real-time priority; nil if it has it, or did not ask.
  public var priorityFault: String?
}

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

/// A group for the loop, which sets it through its bank, or through this object if the lines are simulated.
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
  /// The steps for the scan loop. A wait belongs to the set before it. Scanned displays are not sampled.
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
      case .expect, .read: break
      }
    }
    return result
  }
}

extension Duration {
  /// The nanoseconds, rounded down.
  var inNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
