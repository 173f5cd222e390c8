import HandsetCore
import HandsetStore
import Host
import NIOCore
import Synchronization

/// The real times of events, and what the drivers have not done yet. Events store no real time: a desk does not need it.
final class BenchProgress: Sendable {
  enum Limits {
    /// The events of each handset whose real times are kept.
    static let events = 20_000
  }

  /// The digits and the lamp, as the drivers reported them.
  struct Board: Hashable, Sendable {
    /// The text of the digits; nil before the first report: they are dark.
    var text: String?
    var isLit = false
  }

  fileprivate struct Times {
    /// The number of the first of them.
    var first: UInt64
    var real = CircularBuffer<Int64>()
  }

  fileprivate struct State {
    var times: [HandsetID: Times] = [:]
    /// The sounds that the board plays, or is about to, by their pushes.
    var sounds: [PushID: [String]] = [:]
    var boards: [HandsetID: Board] = [:]
    /// The newest event of each handset, and the newest one when the bench began anew.
    var newest: [HandsetID: UInt64] = [:]
    var starts: [HandsetID: UInt64] = [:]
  }

  private let board: HandsetID
  private let state = Mutex(State())

  /// - Parameter board: the handset on the board, the only one that has a speaker.
  init(board: HandsetID) { self.board = board }

  func publish(_ batch: CommittedBatch, at real: WallTime) {
    state.withLock { state in
      for item in batch.turns {
        for effect in item.turn.effects {
          if case .play(let choice) = effect, item.handset == board {
            state.sounds[choice.push, default: []].append(choice.name)
          }
        }
        for event in item.turn.events { state.note(event, of: item.handset, at: real) }
      }
    }
  }

  /// Returns the machine's time at which an event was stored, in microseconds since 1970; nil if it is not known.
  func realMicroseconds(of event: UInt64, on handset: HandsetID) -> Int64? {
    state.withLock { state in
      guard let times = state.times[handset], event >= times.first else { return nil }
      let offset = Int(clamping: event - times.first)
      guard offset < times.real.count else { return nil }
      return times.real[times.real.index(times.real.startIndex, offsetBy: offset)]
    }
  }

  /// Forgets the pushes of a handset: a test begins.
  /// - Parameter handset: nil for all.
  func beginAnew(on handset: HandsetID?) {
    state.withLock { state in
      for id in handset.map({ [$0] }) ?? Array(state.newest.keys) {
        state.starts[id] = state.newest[id]
        if id == board { state.sounds = [:] }
      }
    }
  }

  /// The number of the last event before the bench began anew; 0 if it never did.
  func start(on handset: HandsetID) -> UInt64 { state.withLock { $0.starts[handset] ?? 0 } }

  /// The names of the sounds that play, or are about to, by their pushes; none on a handset that is not on the board.
  func sounds(on handset: HandsetID) -> [PushID: [String]] {
    handset == board ? state.withLock(\.sounds) : [:]
  }

  func board(of handset: HandsetID) -> Board { state.withLock { $0.boards[handset] ?? Board() } }
}

extension BenchProgress.State {
  fileprivate mutating func note(_ event: Event, of handset: HandsetID, at real: WallTime) {
    var times = times[handset] ?? BenchProgress.Times(first: event.sequence)
    self.times[handset] = nil
    times.real.append(real.microseconds)
    if times.real.count > BenchProgress.Limits.events {
      times.real.removeFirst()
      times.first += 1
    }
    self.times[handset] = times
    newest[handset] = event.sequence
    guard case .driver(let kind) = event.kind else { return }
    switch kind {
    case .lamp(let isLit): boards[handset, default: .init()].isLit = isLit
    case .display(let text), .displayOverflow(let text): boards[handset, default: .init()].text = text
    case .soundEnded(let name, _):
      guard let push = event.push, let place = sounds[push]?.firstIndex(of: name) else { break }
      sounds[push]?.remove(at: place)
      if sounds[push]?.isEmpty == true { sounds[push] = nil }
    case .soundStarted, .deviceLost, .deviceBack, .faultStruck: break
    }
  }
}
