// What a link tells, in order, and a way to wait for one of it: no test sleeps.

import HandsetCore
import Synchronization

@testable import AppLink

enum Told: Equatable, Sendable {
  case listening(AppID, Lifecycle)
  case presenting(AppID, NotificationKinds)
  case disconnected(AppID)
  case completed(AppID, PushID, AppResult)
  case failed(AppID, PushID, String)
  case timedOut(AppID, PushID)
  case died(AppID, PushID?, String)
  case log(String)

  var isLog: Bool { if case .log = self { true } else { false } }
}

final class Recorder: AppLinkEvents {
  private struct State {
    var told: [Told] = []
    var waiters: [(matches: @Sendable (Told) -> Bool, continuation: CheckedContinuation<Told, Never>)] = []
  }

  private let state = Mutex(State())

  /// All but the log.
  var events: [Told] { state.withLock { $0.told.filter { !$0.isLog } } }

  var log: [String] {
    state.withLock { $0.told.compactMap { if case .log(let line) = $0 { line } else { nil } } }
  }

  var all: [Told] { state.withLock { $0.told } }

  /// The first that matches, told already or yet to come.
  @discardableResult
  func first(_ matches: @escaping @Sendable (Told) -> Bool) async -> Told {
    await withCheckedContinuation { continuation in
      let found = state.withLock { state in
        let found = state.told.first(where: matches)
        if found == nil { state.waiters.append((matches, continuation)) }
        return found
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  func wait(for told: Told) async { await first { $0 == told } }

  /// The rest of the first log line that holds `words`, after them.
  func logged(_ words: String) async -> String {
    let told = await first { if case .log(let line) = $0 { line.contains(words) } else { false } }
    guard case .log(let line) = told, let range = line.firstRange(of: words) else { return "" }
    return String(line[range.upperBound...])
  }

  func tell(_ told: Told) {
    let waiters = state.withLock { state in
      state.told.append(told)
      defer { state.waiters.removeAll { $0.matches(told) } }
      return state.waiters.filter { $0.matches(told) }
    }
    for waiter in waiters { waiter.continuation.resume(returning: told) }
  }

  func listening(_ app: AppID, _ state: Lifecycle) { tell(.listening(app, state)) }
  func presenting(_ app: AppID, _ kinds: NotificationKinds) { tell(.presenting(app, kinds)) }
  func disconnected(_ app: AppID) { tell(.disconnected(app)) }
  func failed(_ app: AppID, _ push: PushID, _ reason: String) { tell(.failed(app, push, reason)) }
  func completed(_ app: AppID, _ push: PushID, _ result: AppResult) { tell(.completed(app, push, result)) }
  func timedOut(_ app: AppID, _ push: PushID) { tell(.timedOut(app, push)) }
  func died(_ app: AppID, _ push: PushID?, _ how: String) { tell(.died(app, push, how)) }
}
