import HandsetCore
import Testing

@testable import DeskbellDaemon

@Suite struct PanelTablesTests {
  @Test("The panel's module of lists has the core's, one exported constant on each line")
  func module() {
    let lines = String(decoding: PanelTables.module, as: UTF8.self).split(separator: "\n")
    let names = ["CONDITIONS", "HANDSET_SETTINGS", "APP_SETTINGS", "EVENTS", "KINDS", "LEVELS"]
    #expect(lines.map { String($0.prefix { $0 != "=" }) } == names.map { "export const \($0) " })
    #expect(lines.last == #"export const LEVELS = ["passive","active","time-sensitive","critical"];"#)
    #expect(lines.first?.contains(#""low-power":"\#(Condition.lowPower.meaning)""#) == true)
    #expect(lines[1].contains(#""fetch-mode":["push","fetch","manual"]"#))
  }
}
