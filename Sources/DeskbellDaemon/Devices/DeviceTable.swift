// Which devices work. A missing one costs only itself, so somebody has to be able to ask what is missing.

import ControlAPI
import ServiceManager
import Synchronization

/// The devices of this installation, in the order in which they were first reported.
final class DeviceTable: Sendable {
  private let reports = Mutex<[DeviceReport]>([])
  private let changed = Mutex<@Sendable () -> Void>({})

  var all: [DeviceReport] { reports.withLock { $0 } }

  /// - Parameter body: called from now on when a device is found to work, or no longer to, on any thread.
  func whenChanged(_ body: @escaping @Sendable () -> Void) { changed.withLock { $0 = body } }

  /// Has the service manager show a summary and what does not work, now and whenever that changes.
  func show(_ summary: String, by manager: ServiceManager) {
    let status: @Sendable () -> String = { [weak self] in
      let missing = self?.all.filter { !$0.works } ?? []
      return missing.isEmpty
        ? summary
        : "\(summary); does not work: "
          + missing.map { "\($0.name) (\($0.problem ?? "for no known reason"))" }.joined(separator: ", ")
    }
    whenChanged { manager.show(status) }
    manager.show(status)
  }

  /// A device that there is. It counts as working, unless it was reported before: its thread may have been quicker.
  func add(_ name: String) {
    reports.withLock { reports in
      guard !reports.contains(where: { $0.name == name }) else { return }
      reports.append(DeviceReport(name: name, works: true, problem: nil))
    }
  }

  /// - Parameter problem: nil where the device works.
  func set(_ name: String, problem: String?) {
    let report = DeviceReport(name: name, works: problem == nil, problem: problem)
    let isNews = reports.withLock { reports in
      guard let place = reports.firstIndex(where: { $0.name == name }) else {
        reports.append(report)
        return true
      }
      defer { reports[place] = report }
      return reports[place] != report
    }
    if isNews { changed.withLock(\.self)() }
  }
}
