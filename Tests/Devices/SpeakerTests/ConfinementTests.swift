// The remaining abilities of a process that has confined itself, tried by a copy of this one.

import ConfinementProbe
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConfinementTests {
  private enum End: Hashable {
    case done
    case refused(Int32)
    case killed(Int32)
  }

  private func end(_ attempt: probe_attempt, hasFilter: Bool = true) -> End {
    var bySignal: Int32 = 0
    let code = probe_confined(attempt, hasFilter ? 1 : 0, &bySignal)
    return bySignal != 0 ? .killed(code) : code == 0 ? .done : .refused(code)
  }

  @Test("The system calls that decoding needs are allowed", arguments: [PROBE_READ_AND_WRITE, PROBE_SMALL_MEMORY])
  func allowed(attempt: probe_attempt) {
    #expect(end(attempt) == .done)
    #expect(end(attempt, hasFilter: false) == .done)
  }

  @Test(
    "Files, connections, processes, code and other descriptors end it",
    arguments: [
      PROBE_OPEN, PROBE_SOCKET, PROBE_FORK, PROBE_EXECUTE, PROBE_SIGNAL, PROBE_SIGNAL_THREAD, PROBE_TRACE,
      PROBE_EXECUTABLE_MEMORY, PROBE_OTHER_DESCRIPTOR,
    ])
  func killed(attempt: probe_attempt) {
    #expect(end(attempt) == .killed(SIGSYS))
  }

  @Test("A crash is not reported as a forbidden system call")
  func crash() {
    #expect(end(PROBE_ABORT) == .killed(SIGABRT))
  }

  @Test("Memory beyond the limit is refused, and processor time beyond it ends the process")
  func limits() {
    #expect(end(PROBE_LARGE_MEMORY) == .refused(ENOMEM))
    #expect(end(PROBE_SPIN) == .killed(SIGXCPU))
  }

  @Test("Without a filter of system calls the limits remain")
  func noFilter() {
    #expect(end(PROBE_OPEN, hasFilter: false) == .refused(EMFILE))
    #expect(end(PROBE_SOCKET, hasFilter: false) == .refused(EMFILE))
    #expect(end(PROBE_LARGE_MEMORY, hasFilter: false) == .refused(ENOMEM))
    #expect(end(PROBE_SPIN, hasFilter: false) == .killed(SIGXCPU))
  }
}
