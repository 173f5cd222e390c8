// What a hook leaves behind when it ends: processes that moved to another session or group, which killing its group does
// not reach. The kernel gives them to the daemon as children, if the daemon has asked for that.

import CHookProcess
import Glibc

/// Ends and reaps what hooks have left behind.
struct HookOrphans {
  /// A launch hook that runs. Its orphans are children of the daemon while it runs, and are left alone. Those of a
  /// background hook stay below it until it ends.
  struct Mark: Hashable {
    var app: String
    var handset: String
  }

  /// Between two looks at processes that were killed, and at those of launch hooks that may have ended.
  static let (dyingPause, launchPause): (Duration, Duration) = (.milliseconds(20), .seconds(30))
  /// At one look.
  private static let limit = 1_024
  /// Looks at once: what is killed gives us its children.
  private static let rounds = 16

  /// When `end` is to be called next; nil where it need not be.
  private(set) var deadline: Duration?
  /// Those whose environment told nothing, and when they are looked at again: while a process is executed it has none.
  private var unread: (pids: Set<pid_t>, pause: Duration) = ([], dyingPause)

  /// Kills what nobody runs any more, and reaps what has ended. Does nothing unless the daemon has adopted orphans.
  /// - Parameter launches: the launch hooks that run.
  mutating func end(sparing launches: Set<Mark>, at now: Duration) {
    guard hook_process_adopts_orphans() else { return }
    for _ in 0..<HookOrphans.rounds {
      var (isOver, untold): (Bool, Set<pid_t>) = (true, [])
      for pid in HookOrphans.all {
        // What ended after the list was made may have left us children that are not in it.
        if hook_process_reap_orphan(pid) {
          isOver = false
          continue
        }
        switch HookOrphans.isSpared(pid, launches) {
        case true?: break
        case false?:
          isOver = false
          kill(pid, SIGKILL)
        case nil: untold.insert(pid)
        }
      }
      if isOver { return wait(for: untold, launches, at: now) }
    }
    deadline = now + HookOrphans.dyingPause
  }

  /// Looks again soon at those that are new among the untold, and ever later at the others.
  private mutating func wait(for untold: Set<pid_t>, _ launches: Set<Mark>, at now: Duration) {
    let isNew = !untold.isSubset(of: unread.pids)
    unread = (untold, isNew ? HookOrphans.dyingPause : min(unread.pause * 2, HookOrphans.launchPause))
    deadline = launches.isEmpty ? nil : now + (untold.isEmpty ? HookOrphans.launchPause : unread.pause)
  }

  private static var all: [pid_t] {
    [pid_t](unsafeUninitializedCapacity: limit) { buffer, count in
      count = hook_process_orphans(buffer.baseAddress, buffer.count)
    }
  }

  /// Nil where its environment does not name its hook: then it may belong to any launch hook.
  private static func isSpared(_ pid: pid_t, _ launches: Set<Mark>) -> Bool? {
    guard !launches.isEmpty else { return false }
    let values = environment(of: pid)
    guard let app = values["DESKBELL_APP"], let handset = values["DESKBELL_HANDSET"], let hook = values["DESKBELL_HOOK"]
    else { return nil }
    return hook == "\(HookOccasion.launch)" && launches.contains(Mark(app: app, handset: handset))
  }

  private static func environment(of pid: pid_t) -> [String: String] {
    let file = open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [:] }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
    let pairs = bytes.split(separator: 0).compactMap { item -> (String, String)? in
      let sides = item.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard sides.count == 2 else { return nil }
      return (String(decoding: sides[0], as: UTF8.self), String(decoding: sides[1], as: UTF8.self))
    }
    return Dictionary(pairs) { first, _ in first }
  }
}
