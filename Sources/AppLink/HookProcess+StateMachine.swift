// Decisions about a hook's process, apart from the process: when it gets SIGTERM, when SIGKILL, and what its end means.
// The caller passes the time.

import Glibc
import HandsetCore

extension HookProcess {
  /// One process from its start until it has ended.
  struct StateMachine {
    enum Action: Hashable {
      /// Send this signal to the whole group.
      case signal(CInt)
      /// The result. Once, and not always at the end of the process.
      case report(HookEnding)
    }

    /// The end of a process, as the kernel reports it.
    enum Ending: Hashable {
      case exited(Int32)
      case signalled(Int32)
    }

    private enum Phase: Hashable {
      /// - Parameter until: nil has no limit.
      case running(until: Duration?)
      /// Asked to end, and the result is reported.
      case ending(killAt: Duration)
      /// Killed; the kernel has yet to report its end.
      case killed
    }

    private var phase: Phase
    private let grace: Duration

    /// - Parameters:
    ///   - time: how long it may run; nil for no limit.
    ///   - grace: between SIGTERM and SIGKILL.
    init(startedAt now: Duration, time: Duration?, grace: Duration) {
      self.phase = .running(until: time.map { now + $0 })
      self.grace = grace
    }

    /// Neither over its time nor asked to end.
    var isRunning: Bool { if case .running = phase { true } else { false } }

    /// When `timePassed` is to be called.
    var deadline: Duration? {
      switch phase {
      case .running(let until): until
      case .ending(let killAt): killAt
      case .killed: nil
      }
    }

    mutating func timePassed(at now: Duration) -> [Action] {
      guard let deadline, now >= deadline else { return [] }
      switch phase {
      case .running:
        phase = .ending(killAt: now + grace)
        return [.report(.timedOut), .signal(SIGTERM)]
      case .ending:
        phase = .killed
        return [.signal(SIGKILL)]
      case .killed: return []
      }
    }

    /// The daemon ends it.
    mutating func stop(at now: Duration) -> [Action] {
      guard case .running = phase else { return [] }
      phase = .ending(killAt: now + grace)
      return [.report(.stopped), .signal(SIGTERM)]
    }

    /// The process has ended, and the rest of its group has to end with it.
    /// - Parameter result: of its last line.
    mutating func ended(_ ending: Ending, result: DeliveryResult?) -> [Action] {
      let wasRunning = isRunning
      phase = .killed
      guard wasRunning else { return [.signal(SIGKILL)] }
      let report: HookEnding =
        switch ending {
        case .exited(0): .completed(result ?? .newData)
        case .exited(let status): .failed("ended with exit status \(status)")
        case .signalled(let number): .died("signal \(number) (\(String(cString: strsignal(number))))")
        }
      return [.signal(SIGKILL), .report(report)]
    }
  }
}

/// How a hook's work ended.
enum HookEnding: Hashable {
  case completed(DeliveryResult)
  /// The hook could not do its work. For the log: what is wrong and what to do.
  case failed(String)
  /// Its time is over.
  case timedOut
  /// Something other than the daemon or the hook itself ended it (rule U5).
  case died(String)
  /// The daemon ended it: this is not reported.
  case stopped
}
