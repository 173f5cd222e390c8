// Transitions are found from nothing but the offset at any time, to the second.

import FoundationEssentials
import Glibc
import HandsetCore
import Testing

@testable import Clocks

@Suite struct SystemTimeZoneTests {
  @Test("Every change of the offset is found, to its second, and no other (L1)")
  func transitions() {
    let changes: [(time: Int64, offset: Int)] = [
      (1_000_000, 3_600), (1_000_000 + 31 * 86_400 + 1, 7_200), (40_000_000, -5 * 3_600 - 1_800),
    ]
    let table = SystemTimeZone.table(named: "Test/Zone", from: 0, to: 50_000_000) { time in
      changes.last { $0.time <= time }?.offset ?? 0
    }
    #expect(table.name == "Test/Zone")
    #expect(table.initialOffset == 0)
    #expect(table.transitions.map(\.time) == changes.map(\.time))
    #expect(table.transitions.map(\.offset) == changes.map(\.offset))
  }

  @Test("The table agrees with the C library about every hour of four years, whatever the clock shows")
  func agreesWithTheSystem() {
    let table = SystemTimeZone.table()
    var wrong: [Int64] = []
    for hour in 0..<(4 * 365 * 24) as Range<Int64> {
      var time = time_t(1_800_000_000 - 365 * 86_400 + hour * 3_600)
      var fields = tm()
      localtime_r(&time, &fields)
      let expected = fields.tm_hour * 3_600 + fields.tm_min * 60 + fields.tm_sec
      if table.secondOfDay(at: WallTime(seconds: Int64(time))) != expected { wrong.append(Int64(time)) }
    }
    #expect(wrong == [])
  }
}
