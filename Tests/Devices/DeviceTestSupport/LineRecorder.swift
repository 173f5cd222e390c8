import Board
import Synchronization

/// A bank that records the changes of another one's lines.
public final class LineRecorder: LineBank {
  public struct Edge: Hashable, Sendable {
    public let line: LineName
    public let level: Bool
    public let time: Duration
  }

  private let bank: any LineBank
  private let clock: any BoardClock
  fileprivate let recorded = Mutex<[Edge]>([])

  public init(_ bank: any LineBank, clock: any BoardClock) {
    (self.bank, self.clock) = (bank, clock)
  }

  public var edges: [Edge] { recorded.withLock(\.self) }
  public var arrivalDirectory: String? { bank.arrivalDirectory }

  public func open(_ request: InputRequest) throws(LineFault) -> any InputLine { try bank.open(request) }

  public func open(_ request: LineRequest) throws(LineFault) -> any LineGroup {
    RecordedGroup(group: try bank.open(request), request: request, clock: clock, recorder: self)
  }
}

private final class RecordedGroup: LineGroup {
  private let group: any LineGroup
  private let lines: [LineName]
  private let levels: Mutex<UInt32>
  private let clock: any BoardClock
  private let recorder: LineRecorder

  init(group: any LineGroup, request: LineRequest, clock: any BoardClock, recorder: LineRecorder) {
    (self.group, lines, self.clock, self.recorder) = (group, request.lines, clock, recorder)
    levels = Mutex(request.initialLevels)
  }

  func set(mask: UInt32, levels new: UInt32) throws(LineFault) {
    let time = clock.now()
    try group.set(mask: mask, levels: new)
    let changed = levels.withLock { levels in
      defer { levels = levels & ~mask | new & mask }
      return (levels ^ new) & mask
    }
    for (place, line) in lines.enumerated() where changed >> UInt32(place) & 1 == 1 {
      let edge = LineRecorder.Edge(line: line, level: new >> UInt32(place) & 1 == 1, time: time)
      recorder.recorded.withLock { $0.append(edge) }
    }
  }

  func level(of line: Int) throws(LineFault) -> Bool { try group.level(of: line) }
}
