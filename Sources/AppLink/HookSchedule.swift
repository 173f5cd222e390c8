// When a hook may start: one at a time for each app and occasion, and no more at a time than the limits allow. Apps whose
// background hooks take their time have places of their own, so that hooks that do not end keep no other app's waiting.
// Nothing here starts a process. The cost of a call does not grow with the number of apps.

import HandsetCore

/// One run of a hook that is wanted.
struct HookJob: Equatable {
  var app: AppAddress
  var occasion: HookOccasion
  /// The push that it is for; nil for the launch of an app.
  var push: PushID?
  /// What it reads.
  var line: [UInt8]

  /// Background and notification hooks of an app run one after the other, in the order of its pushes.
  var slot: HookSlot { HookSlot(app: app, occasion: occasion == .launch ? .launch : .background) }
}

/// Each has at most one process.
struct HookSlot: Hashable {
  var app: AppAddress
  /// `launch` or `background`.
  var occasion: HookOccasion
}

/// Jobs that wait and slots that are taken.
struct HookSchedule {
  /// What places there are for.
  private enum Kind: Hashable { case launch, quick, slow }

  private let limits: AppLinkLimits
  /// When each was taken.
  private var taken: [HookSlot: Duration] = [:]
  /// Apps whose background hook runs for longer than `hookPatience`, or did the last time.
  private var slow: Set<AppAddress> = []
  private var waiting: [HookSlot: [HookJob]] = [:]
  /// Slots in the order of their turns. One that is taken or has nothing waiting any more is skipped.
  private var turns: [Kind: Turns] = [:]

  init(limits: AppLinkLimits) {
    self.limits = limits
  }

  func isTaken(_ slot: HookSlot) -> Bool { taken[slot] != nil }

  func hasWaiting(_ slot: HookSlot) -> Bool { waiting[slot] != nil }

  /// No push is with a hook or waits for one.
  var isIdle: Bool {
    !taken.keys.contains { $0.occasion == .background } && !waiting.keys.contains { $0.occasion == .background }
  }

  /// When `next` may give a job that it does not give now, though no slot is freed; nil where it will not.
  var deadline: Duration? {
    guard waiting.keys.contains(where: { $0.occasion == .background && taken[$0] == nil }) else { return nil }
    return taken.filter { kind(of: $0.key) == .quick }.values.min().map { $0 + limits.hookPatience }
  }

  /// - Returns: the oldest of the app's, where there are too many: the newest stay.
  mutating func add(_ job: HookJob) -> HookJob? {
    let slot = job.slot
    var jobs = waiting[slot] ?? []
    jobs.append(job)
    let dropped = jobs.count > limits.waitingDeliveries ? jobs.removeFirst() : nil
    waiting[slot] = jobs
    if jobs.count == 1, taken[slot] == nil { turns[kind(of: slot), default: Turns()].append(slot) }
    return dropped
  }

  /// The next job that may start now; its slot is taken until `free`.
  mutating func next(at now: Duration) -> HookJob? {
    for slot in taken.keys { noteTime(of: slot, at: now) }
    return next(.launch, at: now) ?? next(.quick, at: now) ?? next(.slow, at: now)
  }

  mutating func free(_ slot: HookSlot, at now: Duration) {
    noteTime(of: slot, at: now, hasEnded: true)
    guard taken.removeValue(forKey: slot) != nil else { return }
    if waiting[slot] != nil { turns[kind(of: slot), default: Turns()].append(slot) }
  }

  /// Removes the jobs that wait for the slot, oldest first.
  mutating func takeWaiting(_ slot: HookSlot) -> [HookJob] { waiting.removeValue(forKey: slot) ?? [] }

  /// Removes the jobs that wait for an app.
  mutating func forget(_ app: AppAddress) {
    waiting[HookSlot(app: app, occasion: .launch)] = nil
    waiting[HookSlot(app: app, occasion: .background)] = nil
    slow.remove(app)
  }

  private func kind(of slot: HookSlot) -> Kind {
    slot.occasion == .launch ? .launch : slow.contains(slot.app) ? .slow : .quick
  }

  /// - Parameter hasEnded: then it was quick, or was not.
  private mutating func noteTime(of slot: HookSlot, at now: Duration, hasEnded: Bool = false) {
    guard slot.occasion == .background, let start = taken[slot] else { return }
    if now - start >= limits.hookPatience {
      slow.insert(slot.app)
    } else if hasEnded {
      slow.remove(slot.app)
    }
  }

  private func hasPlace(_ kind: Kind) -> Bool {
    let running = Dictionary(grouping: taken.keys, by: self.kind).mapValues(\.count)
    let background = running[.quick, default: 0] + running[.slow, default: 0]
    let count = running[kind, default: 0]
    return switch kind {
    case .launch: count < limits.launchHooks
    case .quick: count < limits.backgroundHooks && background < limits.backgroundHooks + limits.slowHooks
    case .slow: count < limits.slowHooks && background < limits.backgroundHooks + limits.slowHooks
    }
  }

  private mutating func next(_ kind: Kind, at now: Duration) -> HookJob? {
    guard hasPlace(kind) else { return nil }
    while let slot = turns[kind]?.removeFirst() {
      guard taken[slot] == nil, var jobs = waiting[slot], !jobs.isEmpty else { continue }
      let job = jobs.removeFirst()
      waiting[slot] = jobs.isEmpty ? nil : jobs
      taken[slot] = now
      return job
    }
    return nil
  }

  /// First in, first out.
  private struct Turns {
    private var slots: [HookSlot] = []
    private var first = 0

    mutating func append(_ slot: HookSlot) { slots.append(slot) }

    mutating func removeFirst() -> HookSlot? {
      guard first < slots.count else {
        slots.removeAll()
        first = 0
        return nil
      }
      defer { first += 1 }
      // The memory of what was taken is freed once it is the larger half.
      if first > slots.count / 2 {
        slots.removeFirst(first)
        first = 0
      }
      return slots[first]
    }
  }
}
