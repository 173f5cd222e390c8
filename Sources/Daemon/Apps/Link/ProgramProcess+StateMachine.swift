// Decisions about a program's process, without the process: the times of SIGTERM and SIGKILL, and the meaning of its
// end. The caller passes the time.

import Glibc
import HandsetCore

extension ProgramProcess {
  /// The state of a process from its start until it has ended.
  struct StateMachine {
    enum Action: Hashable {
      /// Send this signal to the whole group.
      case signal(CInt)
      /// Report the result, once, and not always at the end of the process.
      case report(ProgramEnding)
    }

    /// The end of a process, as the kernel reports it.
    enum Ending: Hashable {
      case exited(Int32)
      case signalled(Int32)
    }

    private enum Phase: Hashable {
      /// - Parameter until: nil has no limit.
      case running(until: Duration?)
      /// The process was asked to end, and the result is reported.
      case ending(killAt: Duration)
      /// The process was killed; the kernel has not reported its end yet.
      case killed
    }

    private var phase: Phase
    private let grace: Duration

    /// - Parameters:
    ///   - time: the time limit of the run; nil for no limit.
    ///   - grace: the time between SIGTERM and SIGKILL.
    init(startedAt now: Duration, time: Duration?, grace: Duration) {
      self.phase = .running(until: time.map { now + $0 })
      self.grace = grace
    }

    /// True if the process is within its time limit and was not asked to end.
    var isRunning: Bool { if case .running = phase { true } else { false } }

    /// The time at which `timePassed` must be called.
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

    /// Ends the process for the daemon.
    mutating func stop(at now: Duration) -> [Action] {
      guard case .running = phase else { return [] }
      phase = .ending(killAt: now + grace)
      return [.report(.stopped), .signal(SIGTERM)]
    }

    /// Handles the end of the process, after which the rest of its group must end.
    /// - Parameter result: the result in its last line.
    mutating func ended(_ ending: Ending, result: DeliveryResult?) -> [Action] {
      let wasRunning = isRunning
      phase = .killed
      guard wasRunning else { return [.signal(SIGKILL)] }
      let report: ProgramEnding =
        switch ending {
        case .exited(0): .completed(result ?? .newData)
        case .exited(let status): .failed("ended with exit status \(status)")
        case .signalled(let number): .died("signal \(number) (\(String(cString: strsignal(number))))")
        }
      return [.signal(SIGKILL), .report(report)]
    }
  }
}

/// The result of a program's run.
enum ProgramEnding: Hashable {
  case completed(DeliveryResult)
  /// The program could not do its work. The text for the log has the problem and the remedy.
  case failed(String)
  /// The time limit has passed.
  case timedOut
  /// A cause other than the daemon or the program itself ended it (rule U5).
  case died(String)
  /// The daemon ended it; this is not reported.
  case stopped
}
