// A request of the control API: its method and target on the first line, then its body. It is answered by a real host,
// so accepted input is also applied and stored. The daemon is a desk's: no request reaches a part of a test bench.

import Dispatch
import HTTP
import HandsetCore
import Synchronization

@testable import ControlTestSupport
@testable import DeskbellDaemon
@testable import Host

func runControlAPI(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  let words = nextLine(&rest)?.split(separator: UInt8(ascii: " "), maxSplits: 1) ?? []
  guard words.count == 2, let target = RequestTarget(String(decoding: words[1], as: UTF8.self)) else { return }
  let method = String(decoding: words[0], as: UTF8.self)
  let body = Array(rest)
  // A reader that follows the events never ends; hashing a password takes a tenth of a second.
  if target.queryValue("follow") == "true" || String(decoding: body, as: UTF8.self).contains("password") { return }
  guard let rig = try? ControlRig(), let table = try? RouteTable(rig.routes.routes) else {
    throw FuzzTarget.Finding(description: "no daemon")
  }
  let outcome = Awaited<Result<Int, any Error>?>()
  // On threads of its own: this one may be one of the few that all tasks share.
  Task(executorPreference: TaskThreads.shared) {
    await rig.installMail()
    await rig.push(1)
    if case .found(let route, let parameters) = table.match(method: method, segments: target.segments) {
      let request = HTTPRequest(method: method, target: target, body: body, parameters: parameters)
      let result: Result<Int, any Error>
      do {
        let status = try await route.handler(request).status
        result =
          isOfBench(route.pattern)
          ? .failure(FuzzTarget.Finding(description: "a desk answers \(status) at \(route.pattern)"))
          : .success(status)
      } catch {
        result = .failure(error)
      }
      await rig.stop()
      outcome.set(result)
    } else {
      await rig.stop()
      outcome.set(nil)
    }
  }
  switch outcome.get() {
  case nil: return
  case .failure(let finding as FuzzTarget.Finding): throw finding
  case .failure(let error): try hold(error is HTTPError, "the route threw \(error), which is a 500")
  case .success(let status): try hold((200...299).contains(status), "it answered \(status)")
  }
}

/// True for the routes that only a test bench answers.
private func isOfBench(_ pattern: String) -> Bool {
  let parts = pattern.split(separator: "/")
  return ["bench", "faults", "lint", "requests", "settled"].contains { parts.contains($0[...]) }
}

/// A value that another thread sets, once.
private final class Awaited<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isSet = DispatchSemaphore(value: 0)

  func set(_ new: Value) {
    value.withLock { $0 = new }
    isSet.signal()
  }

  func get() -> Value {
    isSet.wait()
    guard let value = value.withLock({ $0 }) else { preconditionFailure("it was set") }
    return value
  }
}
