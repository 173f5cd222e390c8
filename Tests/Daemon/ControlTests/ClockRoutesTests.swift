import Clocks
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite(.timeLimit(.minutes(10))) struct ClockRoutesTests {
  @Test(.daemon) func showsTheClock() async throws {
    let before = SystemClock.wallTime().microseconds
    let clock = try await asker.client.clock()
    let real = try #require(clock.realMicroseconds)
    #expect((before...SystemClock.wallTime().microseconds).contains(real))
    #expect(
      clock
        == ClockReport(
          clock: "virtual", uptimeMicroseconds: 60_000_000, wallMicroseconds: 1_700_000_000_000_000, all: false,
          realMicroseconds: real))
    try await withServer(ControlRig(clock: SystemClock())) { asker, _ async throws in
      let clock = try await asker.client.clock()
      #expect(clock.clock == "system" && clock.all == false)
    }
  }

  @Test func saysWhetherAllFollowTheClock() async throws {
    try await withServer(ControlRig(joinsClocks: true)) { asker, _ async throws in
      #expect(try await asker.client.clock().all == true)
      let then = try await asker.client.advanceClock(bySeconds: 1)
      #expect(then.all == true && then.wallMicroseconds == 1_700_000_001_000_000)
    }
  }

  @Test(.daemon) func advancesAVirtualClockOnly() async throws {
    try await withServer(ControlRig(clock: SystemClock())) { asker, _ async throws in
      try await asker.refuses([
        #"POST /v1/clock/advance {"seconds":1}"#: "409 the daemon runs by the system's clock, which cannot be advanced"
          + " | start it with 'deskbell serve --clock virtual'"
      ])
    }
    let then = try await asker.client.advanceClock(bySeconds: 90)
    #expect(then.uptimeMicroseconds == 150_000_000)
    #expect(then.wallMicroseconds == 1_700_000_090_000_000)
  }

  @Test(.daemon) func refusesWhatIsNotBetweenASecondAndAYear() async throws {
    for seconds in ["0", "-1", "31622401"] {
      try await asker.refuses([
        #"POST /v1/clock/advance {"seconds":\#(seconds)}"#:
          "400 the clock advances by 1 to 31622400 seconds at a time, not \(seconds)"
      ])
    }
    #expect(try await asker.ask("POST", "/v1/clock/advance", #"{"seconds":31622400}"#).status == 200)
    #expect(try await asker.ask("POST", "/v1/clock/advance", #"{"seconds":"1"}"#).status == 400)
    #expect(try await asker.ask("POST", "/v1/clock/advance", "{}").status == 400)
  }
}
