// A whole board without hardware: every device is a model, and lines have no kernel. They behave as the kernel's do in
// all respects that a driver can observe: a line is held by one request at a time, an open-drain line is low while
// either side pulls, and a chip can be removed. The demo and the tests run on it.

import Board
import Synchronization
import SystemThreads

/// A bank of simulated lines, with a model of each device that is wired to them.
public final class SimulatedBoard: LineBank {
  /// The number of unread edges of a contact that are kept; further ones are lost, as in the kernel.
  public static let edgeBuffer = 16

  fileprivate struct Bench: Sendable {
    var models: [any ChipModel]
    /// The levels that the board drives.
    var levels: [LineName: Bool] = [:]
    var held: Set<LineName> = []
    /// The levels of contacts as set by a finger; a line that is not here has the level of its resistor.
    var contacts: [LineName: Bool] = [:]
    /// The bell and the unread edges of each contact's line.
    var inputs: [LineName: (bell: Doorbell, edges: [(level: Bool, time: Duration)])] = [:]
    /// The fault of a removed chip; nil while the chip is present.
    var fault: LineFault?
    /// The number of removals: earlier requests become invalid.
    var plugCount = 0

    func bits(of lines: [LineName]) -> UInt32 {
      var bits: UInt32 = 0
      for (place, line) in lines.enumerated() where levels[line] == true { bits |= 1 << UInt32(place) }
      return bits
    }

    func requirePlugged(_ count: Int) throws(LineFault) {
      if let fault { throw fault }
      if count != plugCount { throw LineFault(.chipMissing, "the simulated chip was unplugged and plugged in again") }
    }
  }

  fileprivate let bench: Mutex<Bench>
  fileprivate let clock: any BoardClock
  fileprivate let onPicture: @Sendable (BoardPicture) -> Void

  /// - Parameter onPicture: called on the front's threads at each visible change; must not block for long.
  public init(
    models: [any ChipModel], clock: any BoardClock, onPicture: @escaping @Sendable (BoardPicture) -> Void = { _ in }
  ) {
    self.bench = Mutex(Bench(models: models))
    self.clock = clock
    self.onPicture = onPicture
  }

  /// Creates a board with a model of each device that the description names.
  public convenience init(
    description: BoardDescription, clock: any BoardClock = MonotonicClock(),
    onPicture: @escaping @Sendable (BoardPicture) -> Void = { _ in }
  ) {
    let lamp = description.lamp.flatMap { $0.model() }
    let motor = description.motor.map { motor -> any ChipModel in
      OnOffModel(motor.line, activeHigh: motor.activeHigh) { .motor(runs: $0) }
    }
    // One without a tone of its own is not heard here: a model cannot tell when a tone has ended.
    let buzzer = description.buzzer.flatMap { buzzer -> (any ChipModel)? in
      guard buzzer.frequency == nil else { return nil }
      return OnOffModel(buzzer.line, activeHigh: buzzer.activeHigh) { .buzzer(sounds: $0) }
    }
    let display = description.display.flatMap { display in
      (display.driver as? any ModelledDisplay)?.model(on: display.lines)
    }
    self.init(models: [lamp, motor, buzzer, display].compactMap(\.self), clock: clock, onPicture: onPicture)
  }

  public var models: [any ChipModel] { bench.withLock { $0.models } }

  /// The violations of all models, in the order of time.
  // They are read from the models, not from copies: a copy that is still in use makes the next change copy, too.
  public var violations: [Violation] {
    bench.withLock { $0.models.flatMap(\.violations) }.sorted { $0.time < $1.time }
  }

  public var picture: BoardPicture { bench.withLock { BoardPicture(faces: $0.models.map(\.face)) } }

  public var arrivalDirectory: String? { nil }

  /// Removes the chip, as pulling out its cable would, or refuses access to it.
  public func unplug(_ fault: LineFault = LineFault(.chipMissing, "the simulated chip was unplugged")) {
    bench.withLock { bench in
      bench.fault = fault
      bench.plugCount += 1
      // Readers of edges get an error, as from the kernel.
      for input in bench.inputs.values { input.bell.ring() }
    }
  }

  /// Brings the chip back. Earlier requests stay lost.
  public func plugIn() {
    bench.withLock { $0.fault = nil }
  }

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    let now = clock.now()
    let plugCount = try bench.withLock { bench throws(LineFault) in
      if let fault = bench.fault { throw fault }
      if let line = request.lines.first(where: { bench.held.contains($0) }) {
        throw LineFault(.busy, "simulated line \(line) is used already")
      }
      bench.held.formUnion(request.lines)
      for (place, line) in request.lines.enumerated() {
        bench.levels[line] = request.initialLevels >> UInt32(place) & 1 == 1
      }
      for place in bench.models.indices where !Set(bench.models[place].lines).isDisjoint(with: request.lines) {
        let levels = bench.bits(of: bench.models[place].lines)
        bench.models[place].request(levels: levels, at: now)
      }
      return bench.plugCount
    }
    return SimulatedLineGroup(board: self, lines: request.lines, plugCount: plugCount)
  }

  public func open(_ request: InputRequest) throws(LineFault) -> any InputLine {
    let bell: Doorbell
    do { bell = try Doorbell() } catch { throw LineFault(.failed, "simulated line \(request.line): \(error)") }
    return try bench.withLock { bench throws(LineFault) in
      if let fault = bench.fault { throw fault }
      guard bench.held.insert(request.line).inserted else {
        throw LineFault(.busy, "simulated line \(request.line) is used already")
      }
      let input = SimulatedInput(request: request, bell: bell, board: self, plugCount: bench.plugCount)
      bench.inputs[request.line] = (bell, [])
      return input
    }
  }

  /// Holds these keys of a display down, and no other.
  public func hold(keys: Set<Int>) { change(TM1638Model.self) { $0.keys = keys } }

  /// Changes the chips of this type from outside, as a finger does, or a supply that fails.
  func change<Model: ChipModel>(_ type: Model.Type, _ change: (inout Model) -> Void) {
    bench.withLock { bench in
      for place in bench.models.indices {
        guard var model = bench.models[place] as? Model else { continue }
        change(&model)
        bench.models[place] = model
      }
    }
  }

  public func drive(_ line: LineName, to level: Bool) {
    drive(line, through: [(level, clock.now())])
  }

  /// Moves a contact through these levels before any of them can be read.
  public func drive(_ line: LineName, through levels: [(level: Bool, time: Duration)]) {
    bench.withLock { bench in
      for (level, time) in levels {
        guard bench.contacts.updateValue(level, forKey: line) != level, let input = bench.inputs[line] else { continue }
        if input.edges.count < SimulatedBoard.edgeBuffer { bench.inputs[line]?.edges.append((level, time)) }
        input.bell.ring()
      }
    }
  }
}

private final class SimulatedLineGroup: LineGroup {
  private let board: SimulatedBoard
  private let lines: [LineName]
  private let plugCount: Int

  init(board: SimulatedBoard, lines: [LineName], plugCount: Int) {
    self.board = board
    self.lines = lines
    self.plugCount = plugCount
  }

  deinit {
    board.bench.withLock { $0.held.subtract(lines) }
  }

  func set(mask: UInt32, levels: UInt32) throws(LineFault) {
    let now = board.clock.now()
    let picture: BoardPicture? = try board.bench.withLock { bench throws(LineFault) in
      try bench.requirePlugged(plugCount)
      var changed: Set<LineName> = []
      for (place, line) in lines.enumerated() where mask >> UInt32(place) & 1 == 1 {
        let level = levels >> UInt32(place) & 1 == 1
        guard bench.levels[line] != level else { continue }
        bench.levels[line] = level
        changed.insert(line)
      }
      guard !changed.isEmpty else { return nil }
      var isNewFace = false
      for place in bench.models.indices where !changed.isDisjoint(with: bench.models[place].lines) {
        let levels = bench.bits(of: bench.models[place].lines)
        let faceBefore = bench.models[place].face
        bench.models[place].change(levels: levels, at: now)
        if bench.models[place].face != faceBefore { isNewFace = true }
      }
      return isNewFace ? BoardPicture(faces: bench.models.map(\.face)) : nil
    }
    if let picture { board.onPicture(picture) }
  }

  func level(of line: Int) throws(LineFault) -> Bool {
    let (line, now) = (lines[line], board.clock.now())
    return try board.bench.withLock { bench throws(LineFault) in
      try bench.requirePlugged(plugCount)
      var level = bench.levels[line] ?? true
      for place in bench.models.indices {
        guard let pin = bench.models[place].lines.firstIndex(of: line) else { continue }
        if bench.models[place].pulledLow >> UInt32(pin) & 1 == 1 { level = false }
        bench.models[place].sample(line: pin, at: now)
      }
      return level
    }
  }
}

private final class SimulatedInput: InputLine {
  private let request: InputRequest
  private let bell: Doorbell
  private let board: SimulatedBoard
  private let plugCount: Int

  init(request: InputRequest, bell: Doorbell, board: SimulatedBoard, plugCount: Int) {
    self.request = request
    self.bell = bell
    self.board = board
    self.plugCount = plugCount
  }

  deinit {
    board.bench.withLock { bench in
      bench.held.remove(request.line)
      bench.inputs[request.line] = nil
    }
  }

  var descriptor: Int32 { bell.descriptor }

  func isActive() throws(LineFault) -> Bool {
    try board.bench.withLock { bench throws(LineFault) in
      try bench.requirePlugged(plugCount)
      return (bench.contacts[request.line] ?? (request.bias == .pullUp)) != request.activeLow
    }
  }

  func takeEdges() throws(LineFault) -> [LineEdge] {
    try board.bench.withLock { bench throws(LineFault) in
      try bench.requirePlugged(plugCount)
      bell.clear()
      defer { bench.inputs[request.line]?.edges = [] }
      return (bench.inputs[request.line]?.edges ?? []).map {
        LineEdge(isActive: $0.level != request.activeLow, time: $0.time)
      }
    }
  }
}
