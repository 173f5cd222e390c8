// The topics and hooks of a daemon that consists of one handset.

@testable import ControlAPI

extension BackendInMemory: AccessKeysBackend {
  var templates: [String] { ["github", "plain"] }

  func keys(_ way: KeyedWay) async throws(ControlError) -> [KeyReport] { state.withLock { $0.keys[way] ?? [] } }

  func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws(ControlError) -> KeyReport {
    state.withLock { state in
      let isNew = state.keys[way]?.contains { $0.name == name } != true
      state.keys[way, default: []].removeAll { $0.name == name }
      var report = KeyReport(
        name: name, app: request.app, handset: request.handset, template: way == .hook ? request.template : nil)
      state.keys[way, default: []].append(report)
      if isNew {
        state.keysMade += 1
        report.key = "tk_\(state.keysMade)"
      }
      return report
    }
  }

  func renewKey(_ way: KeyedWay, _ name: String) async throws(ControlError) -> KeyReport {
    guard var report = state.withLock({ $0.keys[way]?.first { $0.name == name } }) else {
      throw ControlError(404, "there is no \(way.rawValue) '\(name)'")
    }
    report.key = state.withLock { state in
      state.keysMade += 1
      return "tk_\(state.keysMade)"
    }
    return report
  }

  func removeKey(_ way: KeyedWay, _ name: String) async throws(ControlError) {
    let isGone = state.withLock { state in
      defer { state.keys[way]?.removeAll { $0.name == name } }
      return state.keys[way]?.contains { $0.name == name } == true
    }
    guard isGone else { throw ControlError(404, "there is no \(way.rawValue) '\(name)'") }
  }
}
