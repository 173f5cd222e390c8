// When a hook may start: one at a time for each app and occasion, and no more at a time than the limits allow. Nothing
// here starts a process. The cost of a call does not grow with the number of apps.

import HandsetCore

/// One run of a hook that is wanted.
struct HookJob: Equatable {
  var app: AppAddress
  var occasion: HookOccasion
  /// The push that it is for; nil for the launch of an app.
  var push: PushID?
  /// What it reads.
  var line: [UInt8]

  var slot: HookSlot { HookSlot(app: app, occasion: occasion) }
}

/// Each has at most one process.
struct HookSlot: Hashable {
  var app: AppAddress
  var occasion: HookOccasion
}

/// Jobs that wait and slots that are taken.
struct HookSchedule {
  private let limits: AppLinkLimits
  private var taken: Set<HookSlot> = []
  private var waiting: [HookSlot: [HookJob]] = [:]
  /// Slots in the order of their turns. One that is taken or has nothing waiting any more is skipped.
  private var turns: [HookOccasion: Turns] = [:]

  init(limits: AppLinkLimits) {
    self.limits = limits
  }

  func isTaken(_ slot: HookSlot) -> Bool { taken.contains(slot) }

  func hasWaiting(_ slot: HookSlot) -> Bool { waiting[slot] != nil }

  /// No push is with a hook or waits for one.
  var isIdle: Bool {
    !taken.contains { $0.occasion == .background } && !waiting.keys.contains { $0.occasion == .background }
  }

  /// - Returns: the oldest of the app's, where there are too many: the newest stay.
  mutating func add(_ job: HookJob) -> HookJob? {
    let slot = job.slot
    var jobs = waiting[slot] ?? []
    jobs.append(job)
    let dropped = jobs.count > limits.waitingDeliveries ? jobs.removeFirst() : nil
    waiting[slot] = jobs
    if jobs.count == 1, !taken.contains(slot) { turns[slot.occasion, default: Turns()].append(slot) }
    return dropped
  }

  /// The next job that may start now; its slot is taken until `free`.
  mutating func next() -> HookJob? { next(.launch) ?? next(.background) }

  mutating func free(_ slot: HookSlot) {
    guard taken.remove(slot) != nil else { return }
    if waiting[slot] != nil { turns[slot.occasion, default: Turns()].append(slot) }
  }

  /// Removes the jobs that wait for the slot, oldest first.
  mutating func takeWaiting(_ slot: HookSlot) -> [HookJob] { waiting.removeValue(forKey: slot) ?? [] }

  /// Removes the jobs that wait for an app.
  mutating func forget(_ app: AppAddress) {
    waiting[HookSlot(app: app, occasion: .launch)] = nil
    waiting[HookSlot(app: app, occasion: .background)] = nil
  }

  private mutating func next(_ occasion: HookOccasion) -> HookJob? {
    let limit = occasion == .launch ? limits.launchHooks : limits.backgroundHooks
    guard taken.count(where: { $0.occasion == occasion }) < limit else { return nil }
    while let slot = turns[occasion]?.removeFirst() {
      guard !taken.contains(slot), var jobs = waiting[slot], !jobs.isEmpty else { continue }
      let job = jobs.removeFirst()
      waiting[slot] = jobs.isEmpty ? nil : jobs
      taken.insert(slot)
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
