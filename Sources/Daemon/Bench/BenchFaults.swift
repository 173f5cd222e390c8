import Clocks
import HTTP
import HandsetCore
import PushPort
import Synchronization

/// The faults of a test bench, for its port and for the control API. Their times follow the handset's clock.
final class BenchFaults: Sendable {
  /// Switches a condition of a handset on or off; returns when that is stored.
  typealias Switch = @Sendable (_ isOn: Bool) async throws -> Void

  private struct ConditionSwitch {
    var condition: Condition
    var handset: String?
    var turn: Switch
  }

  private struct State {
    var table = FaultTable()
    /// The switches of conditions that are on, by their faults' names.
    var switches: [String: ConditionSwitch] = [:]

    /// Takes the switches of faults that end, without those whose condition another fault keeps on.
    mutating func end(_ names: [String]) -> [Switch] {
      let ended = names.compactMap { switches.removeValue(forKey: $0) }
      return ended.filter { one in
        !switches.values.contains { $0.condition == one.condition && $0.handset == one.handset }
      }.map(\.turn)
    }
  }

  private let state = Mutex(State())
  private let clock: any Clock

  init(clock: any Clock) { self.clock = clock }

  private var now: Duration { clock.now().uptime }

  // MARK: For the control API

  struct Listed: Sendable {
    var entry: FaultTable.Entry
    var isArmed: Bool
  }

  /// The faults in their order, those that have ended too.
  var all: [Listed] {
    let now = now
    return state.withLock { $0.table.entries.map { Listed(entry: $0, isArmed: $0.isArmed(now: now)) } }
  }

  /// Adds faults, all or none.
  /// - Parameters:
  ///   - faults: the scope of a condition names its handset, so that the reset of that handset removes it.
  ///   - makeSwitch: returns the switch of a fault that is a condition.
  /// - Returns: their names.
  /// - Throws: `FaultError` if a name is taken, or there are too many; the error of a switch.
  func add(_ faults: [Fault], makeSwitch: (Condition, Fault.Scope) throws -> Switch) async throws -> [String] {
    var switches: [Int: ConditionSwitch] = [:]
    for (index, fault) in faults.enumerated() {
      if case .condition(let condition) = fault.action.kind {
        let turn = try makeSwitch(condition, fault.scope)
        switches[index] = ConditionSwitch(condition: condition, handset: fault.scope.handset, turn: turn)
      }
    }
    let now = now
    let names = try state.withLock { [switches] state in
      var table = state.table
      let names = try faults.map { try table.add($0, now: now) }
      state.table = table
      for (index, turn) in switches { state.switches[names[index]] = turn }
      return names
    }
    for (index, fault) in faults.enumerated() {
      guard let turn = switches[index]?.turn else { continue }
      do {
        try await turn(true)
      } catch {
        let turns = state.withLock { state in
          for name in names { state.table.remove(name) }
          return state.end(names)
        }
        // It may be on although its storage is said to have failed.
        for turn in turns { try? await turn(false) }
        throw error
      }
      if let duration = fault.end.duration, clock.runsByItself { endConditions(in: duration) }
    }
    return names
  }

  /// - Returns: false if there is none of that name.
  func remove(_ name: String) async throws -> Bool {
    let (entry, turns) = state.withLock { state in (state.table.remove(name), state.end([name])) }
    for turn in turns { try await turn(false) }
    return entry != nil
  }

  /// Removes the faults of one handset, or all.
  func removeAll(of handset: String? = nil) async throws {
    let turns = state.withLock { state -> [Switch] in
      let names = state.table.entries.map(\.fault).filter { handset == nil || $0.scope.handset == handset }.map(\.name)
      if handset == nil { state.table.removeAll() } else { for name in names { state.table.remove(name) } }
      return state.end(names)
    }
    for turn in turns { try await turn(false) }
  }

  // MARK: The end of conditions

  /// The uptime at which the next condition ends by itself; nil if none does.
  var nextEnd: Duration? {
    state.withLock { state in
      state.table.entries.filter { state.switches[$0.fault.name] != nil }.compactMap(\.endsAt).min()
    }
  }

  /// Switches off the conditions that have ended.
  func endConditions() async {
    let now = now
    let turns = state.withLock { state -> [Switch] in
      let ended = state.table.entries.filter { !$0.isArmed(now: now) }.map(\.fault.name)
      return state.end(ended)
    }
    // If the store fails, the condition stays on.
    for turn in turns { try? await turn(false) }
  }

  private func endConditions(in duration: Duration) {
    Task { [weak self] in
      try? await Task.sleep(for: duration)
      await self?.endConditions()
    }
  }

  // MARK: For the port

  func fault(atAcceptOf connection: RecordedConnection) -> BenchFault? {
    let now = now
    return state.withLock { $0.table.fault(atAcceptOf: connection, now: now) }
  }

  func fault(atBeginningOf connection: RecordedConnection) -> BenchFault? {
    let now = now
    return state.withLock { $0.table.fault(atBeginningOf: connection, now: now) }
  }

  func fault(at point: BenchPoint, of request: RecordedRequest) -> BenchFault? {
    let now = now
    return state.withLock { $0.table.fault(at: point, of: request, now: now) }
  }
}
