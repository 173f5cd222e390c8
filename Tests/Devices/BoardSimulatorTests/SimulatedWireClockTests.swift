import BoardSimulator
import SystemThreads
import Testing

@Suite struct SimulatedWireClockTests {
  @Test("The pauses of pulses move the clock and take no time")
  func pauses() {
    let clock = SimulatedWireClock()
    let (begin, real) = (clock.now(), monotonicTime())
    for pulse in 1...20_000 { clock.wait(until: begin + .microseconds(50 * pulse)) }
    #expect(clock.now() >= begin + .seconds(1) && monotonicTime() - real < .seconds(1))
    #expect(clock.realTime(until: begin) == .zero)
  }

  @Test("Longer waits are real")
  func waits() {
    let clock = SimulatedWireClock()
    let (begin, real) = (clock.now(), monotonicTime())
    clock.wait(until: begin + .milliseconds(2))
    #expect(clock.now() >= begin + .milliseconds(2) && monotonicTime() - real >= .milliseconds(1))
  }
}
