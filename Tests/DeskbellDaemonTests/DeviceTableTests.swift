// The table of devices, and its observers.

import Synchronization
import Testing

@testable import DeskbellDaemon

@Suite struct DeviceTableTests {
  @Test func onlyWhatIsNewIsToldOf() {
    let devices = DeviceTable()
    let told = Mutex(0)
    devices.add("lamp")
    devices.whenChanged { told.withLock { $0 += 1 } }
    devices.set("lamp", problem: nil)
    #expect(told.withLock(\.self) == 0)
    devices.set("lamp", problem: "gone")
    devices.set("lamp", problem: "gone")
    #expect(told.withLock(\.self) == 1)
    devices.set("lamp", problem: nil)
    devices.set("speaker", problem: nil)
    #expect(told.withLock(\.self) == 3)
  }
}
