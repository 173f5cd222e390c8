// Which devices work. A missing one costs only itself, so somebody has to be able to ask what is missing.

import ControlAPI
import Synchronization

/// The devices of this installation, in the order in which they were first heard of.
final class DeviceTable: Sendable {
  private let reports = Mutex<[DeviceReport]>([])

  var all: [DeviceReport] { reports.withLock { $0 } }

  /// A device that there is. It counts as working, unless it was heard of before: its thread may have been quicker.
  func add(_ name: String) {
    reports.withLock { reports in
      guard !reports.contains(where: { $0.name == name }) else { return }
      reports.append(DeviceReport(name: name, works: true, problem: nil))
    }
  }

  /// - Parameter problem: nil where the device works.
  func set(_ name: String, problem: String?) {
    let report = DeviceReport(name: name, works: problem == nil, problem: problem)
    reports.withLock { reports in
      if let place = reports.firstIndex(where: { $0.name == name }) {
        reports[place] = report
      } else {
        reports.append(report)
      }
    }
  }
}
