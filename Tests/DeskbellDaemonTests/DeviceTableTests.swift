// The table of devices, and its observers.

import Synchronization
import Testing

@testable import DeskbellDaemon

@Suite struct DeviceTableTests {
  @Test func onlyChangesAreReported() {
    let devices = DeviceTable()
    let changes = Mutex(0)
    devices.add("lamp")
    devices.whenChanged { changes.withLock { $0 += 1 } }
    devices.set("lamp", problem: nil)
    #expect(changes.withLock(\.self) == 0)
    devices.set("lamp", problem: "gone")
    devices.set("lamp", problem: "gone")
    #expect(changes.withLock(\.self) == 1)
    devices.set("lamp", problem: nil)
    devices.set("speaker", problem: nil)
    #expect(changes.withLock(\.self) == 3)
  }
}
