// The schedule of programs: one at a time for each app and occasion, within the limits. Apps with slow background
// programs have separate places, so that programs that do not end delay no other app's. Nothing here starts a process.
// The cost of a call does not grow with the number of apps.

import HandsetCore
import NIOCore

struct ProgramJob: Equatable {
  var app: AppAddress
  var occasion: ProgramOccasion
  /// The push of the run; nil for the launch of an app.
  var push: PushID?
  var line: [UInt8]
  /// The time of the run; nil for that of a delivery.
  var time: Duration?

  /// The slot: background and notification programs of an app run one after the other, in the order of its pushes.
  var slot: ProgramSlot { ProgramSlot(app: app, occasion: occasion == .notification ? .background : occasion) }
}

/// A slot, which has at most one process.
struct ProgramSlot: Hashable {
  var app: AppAddress
  var occasion: ProgramOccasion
}

struct ProgramSchedule {
  private enum Kind: Hashable { case launch, quick, slow }

  private let limits: AppLinkLimits
  private var taken: [ProgramSlot: Duration] = [:]
  /// The apps whose background program runs for longer than `programPatience`, or did so the last time.
  private var slow: Set<AppAddress> = []
  private var waiting: [ProgramSlot: [ProgramJob]] = [:]
  /// The slots in the order of their turns. A slot that is in use or has no waiting job is skipped.
  private var turns: [Kind: CircularBuffer<ProgramSlot>] = [:]

  init(limits: AppLinkLimits) {
    self.limits = limits
  }

  func isTaken(_ slot: ProgramSlot) -> Bool { taken[slot] != nil }

  func hasWaiting(_ slot: ProgramSlot) -> Bool { waiting[slot] != nil }

  /// True if no push is in a program or waits for one.
  var isIdle: Bool {
    !taken.keys.contains { $0.occasion != .launch } && !waiting.keys.contains { $0.occasion != .launch }
  }

  /// The time at which `next` may return another job although no slot was freed; nil if there is none.
  var deadline: Duration? {
    guard waiting.keys.contains(where: { $0.occasion != .launch && taken[$0] == nil }) else { return nil }
    return taken.filter { kind(of: $0.key) == .quick }.values.min().map { $0 + limits.programPatience }
  }

  /// - Returns: the oldest job of the app if there are too many: the newest are kept.
  mutating func add(_ job: ProgramJob) -> ProgramJob? {
    let slot = job.slot
    var jobs = waiting[slot] ?? []
    jobs.append(job)
    let dropped = jobs.count > limits.waitingDeliveries ? jobs.removeFirst() : nil
    waiting[slot] = jobs
    if jobs.count == 1, taken[slot] == nil { turns[kind(of: slot), default: []].append(slot) }
    return dropped
  }

  /// Returns the next job that may start now, and takes its slot until `free`.
  mutating func next(at now: Duration) -> ProgramJob? {
    for slot in taken.keys { noteTime(of: slot, at: now) }
    return next(.launch, at: now) ?? next(.quick, at: now) ?? next(.slow, at: now)
  }

  mutating func free(_ slot: ProgramSlot, at now: Duration) {
    noteTime(of: slot, at: now, hasEnded: true)
    guard taken.removeValue(forKey: slot) != nil else { return }
    if waiting[slot] != nil { turns[kind(of: slot), default: []].append(slot) }
  }

  mutating func takeWaiting(_ slot: ProgramSlot) -> [ProgramJob] { waiting.removeValue(forKey: slot) ?? [] }

  mutating func forget(_ app: AppAddress) {
    waiting[ProgramSlot(app: app, occasion: .launch)] = nil
    waiting[ProgramSlot(app: app, occasion: .background)] = nil
    slow.remove(app)
  }

  private func kind(of slot: ProgramSlot) -> Kind {
    slot.occasion == .launch ? .launch : slow.contains(slot.app) ? .slow : .quick
  }

  /// Classifies the app as quick or slow by the run time of its program.
  /// - Parameter hasEnded: true if the run has ended, so that the app may count as quick again.
  private mutating func noteTime(of slot: ProgramSlot, at now: Duration, hasEnded: Bool = false) {
    guard slot.occasion == .background, let start = taken[slot] else { return }
    if now - start >= limits.programPatience {
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
    case .launch: count < limits.launchPrograms
    case .quick: count < limits.backgroundPrograms && background < limits.backgroundPrograms + limits.slowPrograms
    case .slow: count < limits.slowPrograms && background < limits.backgroundPrograms + limits.slowPrograms
    }
  }

  private mutating func next(_ kind: Kind, at now: Duration) -> ProgramJob? {
    guard hasPlace(kind) else { return nil }
    while let slot = turns[kind]?.popFirst() {
      guard taken[slot] == nil, var jobs = waiting[slot], !jobs.isEmpty else { continue }
      let job = jobs.removeFirst()
      waiting[slot] = jobs.isEmpty ? nil : jobs
      taken[slot] = now
      return job
    }
    return nil
  }
}
