import Synchronization
import Testing

@testable import DeskbellDaemon
@testable import Host

@Suite struct DeviceTableTests {
  @Test func onlyChangesAreShown() {
    let shown = Mutex<[String]>([])
    let devices = DeviceTable { status in shown.withLock { $0.append(status()) } }
    devices.add("lamp")
    devices.set("display", problem: "gone")
    #expect(shown.withLock(\.self) == [])
    devices.show("ready")
    devices.set("lamp", problem: nil)
    #expect(shown.withLock(\.self) == ["ready; does not work: display (gone)"])
    devices.set("lamp", problem: "lost")
    devices.set("lamp", problem: "lost")
    #expect(shown.withLock(\.self).dropFirst() == ["ready; does not work: lamp (lost), display (gone)"])
    devices.set("lamp", problem: nil)
    devices.set("display", problem: nil)
    devices.set("speaker", problem: nil)
    #expect(
      shown.withLock(\.self).dropFirst(2) == ["ready; does not work: display (gone)", "ready", "ready"])
  }
}
