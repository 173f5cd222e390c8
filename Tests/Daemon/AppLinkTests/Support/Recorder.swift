// Records the events of a link in order, and waits for one of them: no test sleeps.

import HandsetCore
import Synchronization

@testable import AppLink

/// An input of an app's handset, as the link emits it.
struct AppEvent: Equatable, Sendable {
  var input: Input
  var app: AppAddress

  static func listening(_ app: AppAddress, _ state: Lifecycle) -> AppEvent {
    AppEvent(input: .listening(app.app, state), app: app)
  }
  static func presenting(_ app: AppAddress, _ kinds: NotificationKinds) -> AppEvent {
    AppEvent(input: .setForegroundPresentation(app.app, kinds), app: app)
  }
  static func badge(_ app: AppAddress, _ number: Int) -> AppEvent {
    AppEvent(input: .setBadge(app.app, number), app: app)
  }
  static func listing(_ app: AppAddress) -> AppEvent { AppEvent(input: .listDelivered(app.app), app: app) }
  static func removing(_ app: AppAddress, _ numbers: [NotificationID]?) -> AppEvent {
    AppEvent(input: .removeDelivered(app.app, numbers), app: app)
  }
  static func disconnected(_ app: AppAddress) -> AppEvent { AppEvent(input: .disconnected(app.app), app: app) }
  static func completed(_ app: AppAddress, _ push: PushID, _ result: DeliveryResult) -> AppEvent {
    AppEvent(input: .completed(app.app, push, result), app: app)
  }
  static func failed(_ app: AppAddress, _ push: PushID, _ reason: String) -> AppEvent {
    AppEvent(input: .completed(app.app, push, .failed, reason: reason), app: app)
  }
  static func timedOut(_ app: AppAddress, _ push: PushID) -> AppEvent {
    AppEvent(input: .timedOut(app.app, push), app: app)
  }
  static func extended(_ push: PushID, _ answer: ExtensionAnswer) -> AppEvent {
    AppEvent(input: .extended(mail.app, push, answer), app: mail)
  }
  /// A service extension's answer, before its payload is read.
  static func answered(_ push: PushID, _ line: String) -> AppEvent {
    extended(push, .changed(Push(id: push, token: nil, topic: mail.app, payload: Array(line.utf8))))
  }
  static func died(_ app: AppAddress) -> AppEvent { AppEvent(input: .died(app.app), app: app) }
}

extension AppSocket.StateMachine.Action {
  static func event(_ event: AppEvent) -> Self { .input(event.input, event.app) }
}

enum Recorded: Equatable, Sendable {
  case event(AppEvent)
  case log(String)
}

final class Recorder: Sendable {
  private struct State {
    var recorded: [Recorded] = []
    var waiters: [(matches: @Sendable (Recorded) -> Bool, continuation: CheckedContinuation<Recorded, Never>)] = []
  }

  private let state = Mutex(State())

  /// All events but the log.
  var events: [AppEvent] {
    state.withLock { $0.recorded.compactMap { if case .event(let event) = $0 { event } else { nil } } }
  }

  var log: [String] {
    state.withLock { $0.recorded.compactMap { if case .log(let line) = $0 { line } else { nil } } }
  }

  /// Returns the first matching event, already recorded or yet to come.
  @discardableResult
  func first(_ matches: @escaping @Sendable (Recorded) -> Bool) async -> Recorded {
    await withCheckedContinuation { continuation in
      let found = state.withLock { state in
        let found = state.recorded.first(where: matches)
        if found == nil { state.waiters.append((matches, continuation)) }
        return found
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  func wait(for event: AppEvent) async { await first { $0 == .event(event) } }

  /// Returns the rest of the first log line that contains `words`, after them.
  func logged(_ words: String) async -> String {
    let event = await first { if case .log(let line) = $0 { line.contains(words) } else { false } }
    guard case .log(let line) = event, let range = line.firstRange(of: words) else { return "" }
    return String(line[range.upperBound...])
  }

  func record(_ event: Recorded) {
    let waiters = state.withLock { state in
      state.recorded.append(event)
      defer { state.waiters.removeAll { $0.matches(event) } }
      return state.waiters.filter { $0.matches(event) }
    }
    for waiter in waiters { waiter.continuation.resume(returning: event) }
  }
}
