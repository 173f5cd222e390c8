// Which devices work. A missing one costs only itself, so somebody has to be able to ask what is missing.

import ControlAPI
import Synchronization

/// The devices of this installation, in the order in which they were first reported.
final class DeviceTable: Sendable {
  private struct State {
    var reports: [DeviceReport] = []
    /// What runs, for the status line; nil until all of it does.
    var summary: String?
    var listeners: [AsyncStream<Void>.Continuation] = []
  }

  private let state = Mutex(State())
  private let changed: @Sendable (_ status: () -> String) -> Void

  /// - Parameter changed: called with the status line by `show`, and after it when a device is found to work, or no
  ///   longer to; on any thread.
  init(changed: @escaping @Sendable (_ status: () -> String) -> Void = { _ in }) {
    self.changed = changed
  }

  var all: [DeviceReport] { state.withLock(\.reports) }

  /// An element when one works again or no longer; several that were not taken are one.
  func changes() -> AsyncStream<Void> {
    let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.listeners.append(listener) }
    return stream
  }

  /// Shows a summary and what does not work, now and whenever that changes.
  func show(_ summary: String) {
    state.withLock { $0.summary = summary }
    changed { status }
  }

  private var status: String {
    let (summary, reports) = state.withLock { ($0.summary ?? "", $0.reports) }
    let missing = reports.filter { !$0.works }.map { "\($0.name) (\($0.problem ?? "for no known reason"))" }
    return missing.isEmpty ? summary : "\(summary); does not work: " + missing.joined(separator: ", ")
  }

  /// A device that there is. It counts as working, unless it was reported before: its thread may have been quicker.
  func add(_ name: String) {
    state.withLock { state in
      guard !state.reports.contains(where: { $0.name == name }) else { return }
      state.reports.append(DeviceReport(name: name, problem: nil))
    }
  }

  /// - Parameter problem: nil where the device works.
  func set(_ name: String, problem: String?) {
    let report = DeviceReport(name: name, problem: problem)
    let (isShown, listeners) = state.withLock { state in
      let place = state.reports.firstIndex { $0.name == name }
      guard place.map({ state.reports[$0] }) != report else { return (false, [AsyncStream<Void>.Continuation]()) }
      if let place { state.reports[place] = report } else { state.reports.append(report) }
      return (state.summary != nil, state.listeners)
    }
    if isShown { changed { status } }
    for listener in listeners { listener.yield() }
  }
}
