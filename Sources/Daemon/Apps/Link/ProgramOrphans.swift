// Processes that remain when a program ends: they moved to another session or group, which killing its group does not
// reach. The kernel makes them children of the daemon, if the daemon has asked for that.

import CChildProcess
import Glibc
import SystemThreads

/// The processes that programs have left behind, to be ended and reaped.
struct ProgramOrphans {
  /// A running launch program. While it runs its orphans are children of the daemon and are spared. Orphans of a
  /// background program stay below it until it ends.
  struct Mark: Hashable {
    var app: String
    var handset: String
  }

  /// The intervals between checks of killed processes, and of processes whose launch programs may have ended.
  static let (dyingPause, launchPause): (Duration, Duration) = (.milliseconds(20), .seconds(30))
  private static let limit = 1_024
  /// The consecutive checks: the children of killed processes become ours.
  private static let rounds = 16

  /// The time at which `end` must be called next; nil if no call is needed.
  private(set) var deadline: Duration?
  /// The processes whose environment could not be attributed, and the pause before the next check: a process has no
  /// environment while it is being executed.
  private var unread: (pids: Set<pid_t>, pause: Duration) = ([], dyingPause)

  /// Kills processes without a running program, and reaps ended ones. Does nothing unless the daemon has adopted
  /// orphans.
  mutating func end(sparing launches: Set<Mark>, at now: Duration) {
    guard child_process_adopts_orphans() else { return }
    for _ in 0..<ProgramOrphans.rounds {
      var (isOver, unattributed): (Bool, Set<pid_t>) = (true, [])
      let orphans = [pid_t](unsafeUninitializedCapacity: ProgramOrphans.limit) { buffer, count in
        count = child_process_orphans(buffer.baseAddress, buffer.count)
      }
      for pid in orphans {
        // A process that ended after the list was made may have left children that are not in it.
        if child_process_reap_orphan(pid) {
          isOver = false
          continue
        }
        switch ProgramOrphans.isSpared(pid, launches) {
        case true?: break
        case false?:
          isOver = false
          kill(pid, SIGKILL)
        case nil: unattributed.insert(pid)
        }
      }
      if isOver { return wait(for: unattributed, launches, at: now) }
    }
    deadline = now + ProgramOrphans.dyingPause
  }

  /// Schedules the next check: soon if there are new unattributed processes, else at growing intervals.
  private mutating func wait(for unattributed: Set<pid_t>, _ launches: Set<Mark>, at now: Duration) {
    let isNew = !unattributed.isSubset(of: unread.pids)
    unread = (unattributed, isNew ? ProgramOrphans.dyingPause : min(unread.pause * 2, ProgramOrphans.launchPause))
    deadline = launches.isEmpty ? nil : now + (unattributed.isEmpty ? ProgramOrphans.launchPause : unread.pause)
  }

  /// Returns nil if the environment does not name the program: the process may then belong to any launch program.
  private static func isSpared(_ pid: pid_t, _ launches: Set<Mark>) -> Bool? {
    guard !launches.isEmpty else { return false }
    let values = environment(of: pid)
    guard let app = values["DESKBELL_APP"], let handset = values["DESKBELL_HANDSET"],
      let program = values["DESKBELL_HOOK"]
    else { return nil }
    return program == "\(ProgramOccasion.launch)" && launches.contains(Mark(app: app, handset: handset))
  }

  private static func environment(of pid: pid_t) -> [String: String] {
    let bytes = (try? readFile("/proc/\(pid)/environ", atMost: 4_095)) ?? []
    let pairs = bytes.split(separator: 0).compactMap { item -> (String, String)? in
      let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard sides.count == 2 else { return nil }
      return (String(decoding: sides[0], as: UTF8.self), String(decoding: sides[1], as: UTF8.self))
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
