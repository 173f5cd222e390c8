// Records the events of a link in order, and waits for one of them: no test sleeps.

import HandsetCore
import Synchronization

@testable import AppLink

enum LinkEvent: Equatable, Sendable {
  case listening(AppAddress, Lifecycle)
  case presenting(AppAddress, NotificationKinds)
  case badge(AppAddress, Int)
  case listing(AppAddress)
  case removing(AppAddress, [NotificationID]?)
  case disconnected(AppAddress)
  case completed(AppAddress, PushID, DeliveryResult)
  case failed(AppAddress, PushID, String)
  case timedOut(AppAddress, PushID)
  case died(AppAddress, PushID?, String)
  case log(String)

  var isLog: Bool { if case .log = self { true } else { false } }
}

final class Recorder: AppLinkEvents {
  private struct State {
    var recorded: [LinkEvent] = []
    var waiters: [(matches: @Sendable (LinkEvent) -> Bool, continuation: CheckedContinuation<LinkEvent, Never>)] = []
  }

  private let state = Mutex(State())

  /// All events but the log.
  var events: [LinkEvent] { state.withLock { $0.recorded.filter { !$0.isLog } } }

  var log: [String] {
    state.withLock { $0.recorded.compactMap { if case .log(let line) = $0 { line } else { nil } } }
  }

  var all: [LinkEvent] { state.withLock { $0.recorded } }

  /// Returns the first matching event, already recorded or yet to come.
  @discardableResult
  func first(_ matches: @escaping @Sendable (LinkEvent) -> Bool) async -> LinkEvent {
    await withCheckedContinuation { continuation in
      let found = state.withLock { state in
        let found = state.recorded.first(where: matches)
        if found == nil { state.waiters.append((matches, continuation)) }
        return found
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  func wait(for event: LinkEvent) async { await first { $0 == event } }

  /// Returns the rest of the first log line that contains `words`, after them.
  func logged(_ words: String) async -> String {
    let event = await first { if case .log(let line) = $0 { line.contains(words) } else { false } }
    guard case .log(let line) = event, let range = line.firstRange(of: words) else { return "" }
    return String(line[range.upperBound...])
  }

  func record(_ event: LinkEvent) {
    let waiters = state.withLock { state in
      state.recorded.append(event)
      defer { state.waiters.removeAll { $0.matches(event) } }
      return state.waiters.filter { $0.matches(event) }
    }
    for waiter in waiters { waiter.continuation.resume(returning: event) }
  }

  func listening(_ app: AppAddress, _ state: Lifecycle) { record(.listening(app, state)) }
  func presenting(_ app: AppAddress, _ kinds: NotificationKinds) { record(.presenting(app, kinds)) }
  func setBadge(_ app: AppAddress, _ number: Int) { record(.badge(app, number)) }
  func listDelivered(_ app: AppAddress) { record(.listing(app)) }
  func removeDelivered(_ app: AppAddress, _ numbers: [NotificationID]?) { record(.removing(app, numbers)) }
  func disconnected(_ app: AppAddress) { record(.disconnected(app)) }
  func failed(_ app: AppAddress, _ push: PushID, _ reason: String) { record(.failed(app, push, reason)) }
  func completed(_ app: AppAddress, _ push: PushID, _ result: DeliveryResult) { record(.completed(app, push, result)) }
  func timedOut(_ app: AppAddress, _ push: PushID) { record(.timedOut(app, push)) }
  func died(_ app: AppAddress, _ push: PushID?, _ how: String) { record(.died(app, push, how)) }
}
