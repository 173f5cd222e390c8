import HandsetCore
import HomeAssistant
import Host
import MQTTClient
import Synchronization
import SystemThreads

/// The changes for Home Assistant, collected while its broker is connected.
final class HomeInbox: CommitSink {
  enum Limits {
    /// Events that wait for the broker. Beyond that the oldest are dropped, since it is too late to react to them.
    static let events = 256
    static let commands = 64
  }

  struct Content {
    var events: [HomeEvent] = []
    var dropped = 0
    /// True if the device and all of its state are to be published.
    var mustAnnounce = false
    /// True if all of its state is to be published.
    var mustRepeat = false
    var stateChanged = false

    var isEmpty: Bool { events.isEmpty && !mustAnnounce && !mustRepeat && !stateChanged }
  }

  private struct State {
    var isConnected = false
    var content = Content()
    var sound: String?
    var ring: (push: PushID, sound: String)?
  }

  private let handset: HandsetID
  private let state = Mutex(State())
  let signal = Signal<Void>()
  let endedRing = Signal<PushID>()

  init(handset: HandsetID) {
    self.handset = handset
  }

  /// The sound that plays or is repeated; nil if there is none.
  var sound: String? { state.withLock { $0.ring?.sound ?? $0.sound } }

  /// Sets the push whose sound's end is emitted by `endedRing`; nil for none.
  func setRing(_ ring: (push: PushID, sound: String)?) {
    state.withLock { $0.ring = ring }
    note { $0.stateChanged = true }
  }

  func publish(_ batch: CommittedBatch) {
    let (hasContent, ended) = state.withLock { state in
      var ended: PushID?
      for item in batch.turns where item.handset == handset {
        for case .driver(let report) in item.turn.events.lazy.map(\.kind) {
          switch report {
          case .soundStarted(let name): state.sound = name
          case .soundEnded(let name, _) where name == state.sound: state.sound = nil
          default: break
          }
        }
        for event in item.turn.events where event.push != nil && event.push == state.ring?.push {
          switch event.soundsToTheEnd {
          case true?: ended = event.push
          case false?: (state.ring, state.content.stateChanged) = (nil, state.isConnected)
          case nil: break
          }
        }
        guard state.isConnected else { continue }
        state.content.stateChanged =
          state.content.stateChanged || !item.turn.changes.isEmpty || !item.turn.events.isEmpty
        state.content.events += HomeEvent.all(of: item.turn)
      }
      let surplus = state.content.events.count - Limits.events
      if surplus > 0 {
        state.content.events.removeFirst(surplus)
        state.content.dropped += surplus
      }
      return (!state.content.isEmpty, ended)
    }
    if hasContent { signal.send() }
    if let ended { endedRing.send(ended) }
  }

  /// Notes that the connection was made or lost. No content is kept for the next connection.
  func setConnected(_ isConnected: Bool) {
    state.withLock { state in
      state.isConnected = isConnected
      state.content = Content(mustAnnounce: isConnected)
    }
    if isConnected { signal.send() }
  }

  func note(_ change: (inout Content) -> Void) {
    let hasContent = state.withLock { state in
      if state.isConnected { change(&state.content) }
      return !state.content.isEmpty
    }
    if hasContent { signal.send() }
  }

  func take() -> Content? {
    let content = state.withLock { exchange(&$0.content, with: Content()) }
    return content.isEmpty ? nil : content
  }
}

extension Event {
  /// True if a ring's sound was played to its end, false if it was cut off or not played; nil for other events.
  fileprivate var soundsToTheEnd: Bool? {
    switch kind {
    case .driver(.soundEnded(_, let reason)): reason == "finished"
    case .presented(let presented): presented.rung.sound == nil || presented.rung.silenced != nil ? false : nil
    case .notPresented, .discarded, .kept: false
    default: nil
    }
  }
}
