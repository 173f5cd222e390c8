// Lines without a kernel. They behave like the kernel's in everything that a driver can see: a line is held by one request at a
// time, an open-drain line is low while either side pulls, and a chip can be taken away.

import Board
import Synchronization
import SystemThreads

/// Lines with devices wired to them.
public final class SimulatedLines: LineBank {
  /// A line that changed.
  public struct Edge: Hashable, Sendable {
    public var line: LineName
    public var level: Bool
    public var time: Duration
  }

  /// Edges of a contact that wait to be read; further ones are lost, as the kernel loses them.
  public static let edgeBuffer = 16

  /// Edges that are kept; the older half goes when there are more.
  public static let edgeLimit = 100_000

  fileprivate struct Bench: Sendable {
    var models: [any ChipModel]
    /// As we drive them.
    var levels: [LineName: Bool] = [:]
    var held: Set<LineName> = []
    var edges: [Edge] = []
    /// Of contacts, as a finger leaves them; a line that is not here has the level of its resistor.
    var contacts: [LineName: Bool] = [:]
    var inputs: [LineName: SimulatedInput.Ends] = [:]
    /// Nil while the chip is there.
    var fault: LineFault?
    /// Counts removals: requests from before are worth nothing after.
    var plugCount = 0
  }

  private let board: Mutex<Bench>
  private let clock: any BoardClock
  private let recordsEdges: Bool
  private let onFaces: @Sendable ([Face]) -> Void

  /// - Parameters:
  ///   - recordsEdges: keeps what `edges` gives.
  ///   - onFaces: called on the thread that changed a line whenever a device shows something else; the faces are in
  ///     the order of `models`.
  public init(
    models: [any ChipModel], clock: any BoardClock, recordsEdges: Bool = false,
    onFaces: @escaping @Sendable ([Face]) -> Void = { _ in }
  ) {
    self.board = Mutex(Bench(models: models))
    self.clock = clock
    self.recordsEdges = recordsEdges
    self.onFaces = onFaces
  }

  public var models: [any ChipModel] { board.withLock { $0.models } }

  // Of the models themselves, and not of copies of them: a copy that is still read makes the next change copy, too.
  var violations: [Violation] { board.withLock { $0.models.flatMap(\.violations) } }

  var faces: [Face] { board.withLock { $0.models.map(\.face) } }

  public var edges: [Edge] { board.withLock { $0.edges } }

  public var arrivalDirectory: String? { nil }

  /// Takes the chip away, as pulling out its cable would, or refuses it.
  public func unplug(_ fault: LineFault = LineFault(.chipMissing, "the simulated chip was unplugged")) {
    board.withLock { board in
      board.fault = fault
      board.plugCount += 1
      // As the kernel does: a reader of edges gets an error.
      for input in board.inputs.values { input.bell.ring() }
    }
  }

  /// Brings the chip back. What was requested before stays lost.
  public func plugIn() {
    board.withLock { $0.fault = nil }
  }

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    let now = clock.now()
    let plugCount = try board.withLock { (board) throws(LineFault) in
      if let fault = board.fault { throw fault }
      if let line = request.lines.first(where: { board.held.contains($0) }) {
        throw LineFault(.busy, "simulated line \(line) is used already")
      }
      board.held.formUnion(request.lines)
      for (place, line) in request.lines.enumerated() {
        board.levels[line] = request.initialLevels >> UInt32(place) & 1 == 1
      }
      for place in board.models.indices where !Set(board.models[place].lines).isDisjoint(with: request.lines) {
        let levels = board.bits(of: board.models[place].lines)
        board.models[place].request(levels: levels, at: now)
      }
      return board.plugCount
    }
    return SimulatedLineGroup(bank: self, lines: request.lines, plugCount: plugCount)
  }

  public func open(_ request: InputRequest) throws(LineFault) -> any InputLine {
    let bell: Doorbell
    do { bell = try Doorbell() } catch { throw LineFault(.failed, "simulated line \(request.line): \(error)") }
    return try board.withLock { (board) throws(LineFault) in
      if let fault = board.fault { throw fault }
      guard board.held.insert(request.line).inserted else {
        throw LineFault(.busy, "simulated line \(request.line) is used already")
      }
      let input = SimulatedInput(request: request, bell: bell, bank: self, plugCount: board.plugCount)
      board.inputs[request.line] = SimulatedInput.Ends(bell: bell)
      return input
    }
  }

  /// A contact has that level from now on.
  public func drive(_ line: LineName, to level: Bool) {
    drive(line, through: [(level, clock.now())])
  }

  /// A contact goes through those levels before anybody can look at it.
  public func drive(_ line: LineName, through levels: [(level: Bool, time: Duration)]) {
    board.withLock { board in
      for (level, time) in levels {
        guard board.contacts.updateValue(level, forKey: line) != level, var input = board.inputs[line] else { continue }
        if input.edges.count < SimulatedLines.edgeBuffer { input.edges.append((level, time)) }
        board.inputs[line] = input
        input.bell.ring()
      }
    }
  }

  fileprivate func takeEdges(of request: InputRequest, plugCount: Int) throws(LineFault) -> [LineEdge] {
    try board.withLock { (board) throws(LineFault) in
      try board.requirePlugged(plugCount)
      board.inputs[request.line]?.bell.clear()
      defer { board.inputs[request.line]?.edges = [] }
      return (board.inputs[request.line]?.edges ?? []).map {
        LineEdge(isActive: $0.level != request.activeLow, time: $0.time)
      }
    }
  }

  fileprivate func isActive(_ request: InputRequest, plugCount: Int) throws(LineFault) -> Bool {
    try board.withLock { (board) throws(LineFault) in
      try board.requirePlugged(plugCount)
      return (board.contacts[request.line] ?? (request.bias == .pullUp)) != request.activeLow
    }
  }

  fileprivate func releaseInput(_ line: LineName) {
    board.withLock { board in
      board.held.remove(line)
      board.inputs[line] = nil
    }
  }

  fileprivate func set(_ lines: [LineName], mask: UInt32, levels: UInt32, plugCount: Int) throws(LineFault) {
    let now = clock.now()
    let faces: [Face]? = try board.withLock { (board) throws(LineFault) in
      try board.requirePlugged(plugCount)
      var changed: Set<LineName> = []
      for (place, line) in lines.enumerated() where mask >> UInt32(place) & 1 == 1 {
        let level = levels >> UInt32(place) & 1 == 1
        guard board.levels[line] != level else { continue }
        board.levels[line] = level
        changed.insert(line)
        if recordsEdges { board.record(Edge(line: line, level: level, time: now)) }
      }
      guard !changed.isEmpty else { return nil }
      var isNewFace = false
      for place in board.models.indices where !changed.isDisjoint(with: board.models[place].lines) {
        let levels = board.bits(of: board.models[place].lines)
        let faceBefore = board.models[place].face
        board.models[place].change(levels: levels, at: now)
        if board.models[place].face != faceBefore { isNewFace = true }
      }
      return isNewFace ? board.models.map(\.face) : nil
    }
    if let faces { onFaces(faces) }
  }

  fileprivate func level(of line: LineName, plugCount: Int) throws(LineFault) -> Bool {
    let now = clock.now()
    return try board.withLock { (board) throws(LineFault) in
      try board.requirePlugged(plugCount)
      var level = board.levels[line] ?? true
      for place in board.models.indices {
        guard let pin = board.models[place].lines.firstIndex(of: line) else { continue }
        if board.models[place].pulledLow >> UInt32(pin) & 1 == 1 { level = false }
        board.models[place].sample(line: pin, at: now)
      }
      return level
    }
  }

  fileprivate func release(_ lines: [LineName]) {
    board.withLock { $0.held.subtract(lines) }
  }
}

extension SimulatedLines.Bench {
  fileprivate func bits(of lines: [LineName]) -> UInt32 {
    var bits: UInt32 = 0
    for (place, line) in lines.enumerated() where levels[line] == true { bits |= 1 << UInt32(place) }
    return bits
  }

  fileprivate mutating func record(_ edge: SimulatedLines.Edge) {
    if edges.count >= SimulatedLines.edgeLimit { edges.removeFirst(SimulatedLines.edgeLimit / 2) }
    edges.append(edge)
  }

  fileprivate func requirePlugged(_ count: Int) throws(LineFault) {
    if let fault { throw fault }
    if count != plugCount { throw LineFault(.chipMissing, "the simulated chip was unplugged and plugged in again") }
  }
}

private final class SimulatedLineGroup: LineGroup {
  private let bank: SimulatedLines
  private let lines: [LineName]
  private let plugCount: Int

  init(bank: SimulatedLines, lines: [LineName], plugCount: Int) {
    self.bank = bank
    self.lines = lines
    self.plugCount = plugCount
  }

  deinit {
    bank.release(lines)
  }

  func set(mask: UInt32, levels: UInt32) throws(LineFault) {
    try bank.set(lines, mask: mask, levels: levels, plugCount: plugCount)
  }

  func level(of line: Int) throws(LineFault) -> Bool {
    try bank.level(of: lines[line], plugCount: plugCount)
  }
}

private final class SimulatedInput: InputLine {
  /// What its bank keeps of it.
  struct Ends: Sendable {
    let bell: Doorbell
    var edges: [(level: Bool, time: Duration)] = []
  }

  private let request: InputRequest
  private let bell: Doorbell
  private let bank: SimulatedLines
  private let plugCount: Int

  init(request: InputRequest, bell: Doorbell, bank: SimulatedLines, plugCount: Int) {
    self.request = request
    self.bell = bell
    self.bank = bank
    self.plugCount = plugCount
  }

  deinit {
    bank.releaseInput(request.line)
  }

  var descriptor: Int32 { bell.descriptor }

  func isActive() throws(LineFault) -> Bool { try bank.isActive(request, plugCount: plugCount) }

  func takeEdges() throws(LineFault) -> [LineEdge] { try bank.takeEdges(of: request, plugCount: plugCount) }
}
