import Synchronization
import SystemThreads

public struct DeviceStatus: Hashable, Sendable {
  /// The name: `store`, `lamp`, `display`, `speaker`, `push gateway`.
  public let name: String
  /// The device, the fault and the remedy; nil if it works.
  public let problem: String?

  public var works: Bool { problem == nil }
}

/// The devices of this installation, in the order in which they were first reported.
public final class DeviceTable: Sendable {
  public static let store = "store"

  private struct State {
    var reports: [DeviceStatus] = []
    /// The summary of the running parts for the status line; nil until all of them run.
    var summary: String?
    var listeners: [Signal<Void>.Sender] = []
  }

  private let state = Mutex(State())
  private let changed: @Sendable (_ status: () -> String) -> Void

  /// - Parameter changed: called with the status line by `show`, and later when a device begins or ceases to work; on
  ///   any thread.
  public init(changed: @escaping @Sendable (_ status: () -> String) -> Void = { _ in }) {
    self.changed = changed
  }

  public var all: [DeviceStatus] { state.withLock(\.reports) }

  /// Returns a stream with an element when a device begins or ceases to work; unread elements are merged into one.
  public func changes() -> AsyncStream<Void> {
    let signal = Signal<Void>()
    state.withLock { $0.listeners.append(signal.sender) }
    return signal.values
  }

  /// Shows a summary and the devices that do not work, now and after each change.
  public func show(_ summary: String) {
    state.withLock { $0.summary = summary }
    changed { status }
  }

  private var status: String {
    let (summary, reports) = state.withLock { ($0.summary ?? "", $0.reports) }
    let missing = reports.filter { !$0.works }.map { "\($0.name) (\($0.problem ?? "for no known reason"))" }
    return missing.isEmpty ? summary : "\(summary); does not work: " + missing.joined(separator: ", ")
  }

  /// Adds an existing device. It counts as working, unless it was reported before: its thread may have been quicker.
  public func add(_ name: String) {
    state.withLock { state in
      guard !state.reports.contains(where: { $0.name == name }) else { return }
      state.reports.append(DeviceStatus(name: name, problem: nil))
    }
  }

  public func set(_ name: String, problem: String?) {
    let report = DeviceStatus(name: name, problem: problem)
    let (isShown, listeners) = state.withLock { state in
      let place = state.reports.firstIndex { $0.name == name }
      guard place.map({ state.reports[$0] }) != report else { return (false, [Signal<Void>.Sender]()) }
      if let place { state.reports[place] = report } else { state.reports.append(report) }
      return (state.summary != nil, state.listeners)
    }
    if isShown { changed { status } }
    for listener in listeners { listener.yield() }
  }
}
