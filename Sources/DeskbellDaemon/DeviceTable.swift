// Which devices work. A missing one costs only itself, so somebody has to be able to ask what is missing.

import ControlAPI
import Synchronization

/// The devices of this installation, in the order in which they were first heard of.
final class DeviceTable: Sendable {
  private let reports = Mutex<[DeviceReport]>([])

  var all: [DeviceReport] { reports.withLock { $0 } }

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
