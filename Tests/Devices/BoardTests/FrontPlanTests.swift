// The light at every moment, and all moments at which it changes, without threads and lines.

import Testing

@testable import Board
@testable import HandsetCore

@Suite struct FrontPlanTests {
  /// Returns all changes of the lamp up to a moment.
  private func lampEdges(_ plan: FrontPlan, from start: Duration, to end: Duration) -> [Duration] {
    var edges: [Duration] = []
    var now = start
    while let next = plan.nextLampChange(after: now), next <= end {
      edges.append(next)
      #expect(next > now)
      #expect(plan.light(at: next) != plan.light(at: next - .nanoseconds(1)))
      now = next
    }
    return edges
  }

  @Test("D1: edges of a pattern fall on its own times, counted from its start")
  func lampEdgesAreExact() {
    var plan = FrontPlan(width: 0, hasDecimalPoints: false)
    plan.show(Presentation(badge: 0, lamp: .blink, since: .milliseconds(1_234)), at: .seconds(10))
    #expect(
      lampEdges(plan, from: .milliseconds(1_234), to: .seconds(4)) == [
        .milliseconds(1_734), .milliseconds(2_234), .milliseconds(2_734), .milliseconds(3_234), .milliseconds(3_734),
      ])
    plan.show(Presentation(badge: 0, lamp: .double, since: .zero), at: .zero)
    #expect(
      lampEdges(plan, from: .zero, to: .milliseconds(1_740)) == [
        .milliseconds(120), .milliseconds(240), .milliseconds(360), .milliseconds(1_500), .milliseconds(1_620),
        .milliseconds(1_740),
      ])
  }

  @Test("D1: a steady lamp, and none, never change by themselves", arguments: [LampPattern.steady, nil])
  func restingLamp(pattern: LampPattern?) {
    var plan = FrontPlan(width: 4, hasDecimalPoints: false)
    plan.show(Presentation(badge: 12, lamp: pattern), at: .zero)
    #expect(plan.nextLampChange(after: .seconds(5)) == nil)
    #expect(plan.nextDisplayChange(after: .seconds(5)) == nil)
    #expect((plan.light(at: .seconds(5)) != .dark) == (pattern != nil))
  }

  @Test("B5: a number too wide blinks from the moment it is shown, half a second lit")
  func overflowBlinks() {
    var plan = FrontPlan(width: 4, hasDecimalPoints: false)
    let shown = Duration.milliseconds(10_300)
    plan.show(Presentation(badge: 10_000), at: shown)
    let nines: [UInt8] = [0x6F, 0x6F, 0x6F, 0x6F]
    let dark: [UInt8] = [0, 0, 0, 0]
    #expect(plan.digits(at: shown).segments == nines)
    #expect(plan.nextDisplayChange(after: shown) == shown + .milliseconds(500))
    #expect(plan.digits(at: shown + .milliseconds(499)).segments == nines)
    #expect(plan.digits(at: shown + .milliseconds(500)).segments == dark)
    #expect(plan.nextDisplayChange(after: shown + .milliseconds(500)) == shown + .seconds(1))
    #expect(plan.digits(at: shown + .seconds(1)).segments == nines)
    // Showing the same digits for a larger badge does not begin a new cycle.
    plan.show(Presentation(badge: 10_001), at: shown + .milliseconds(200))
    #expect(plan.nextDisplayChange(after: shown + .milliseconds(200)) == shown + .milliseconds(500))
  }

  @Test("B5: with decimal points nothing blinks")
  func overflowWithPointsRests() {
    var plan = FrontPlan(width: 4, hasDecimalPoints: true)
    plan.show(Presentation(badge: 10_000), at: .zero)
    #expect(plan.nextDisplayChange(after: .zero) == nil)
    #expect(plan.digits(at: .milliseconds(700)).segments == [0xEF, 0xEF, 0xEF, 0xEF])
  }

  @Test("B5: digits are dimmer at night; dark ones are not drawn again for it")
  func nightIsDimmer() {
    var plan = FrontPlan(width: 2, hasDecimalPoints: false, brightness: Brightness(day: 5, night: 1))
    plan.show(Presentation(badge: 7), at: .zero)
    #expect(plan.digits(at: .zero) == LitDigits(segments: [0, 0x07], brightness: 5))
    plan.show(Presentation(badge: 7, isDimmed: true), at: .zero)
    #expect(plan.digits(at: .zero) == LitDigits(segments: [0, 0x07], brightness: 1))
    plan.show(Presentation(badge: 100, isDimmed: true), at: .zero)
    #expect(plan.digits(at: .zero) == LitDigits(segments: [0x6F, 0x6F], brightness: 1))
    #expect(plan.digits(at: .milliseconds(500)) == .dark(width: 2))
    plan.show(Presentation(badge: 0), at: .zero)
    #expect(plan.digits(at: .zero) == .dark(width: 2))
    plan.show(Presentation(badge: 0, isDimmed: true), at: .zero)
    #expect(plan.digits(at: .zero) == .dark(width: 2))
  }

  @Test func reportedTextReadsAsTheDisplayDoes() {
    #expect(SegmentText(badge: 12, width: 4, hasDecimalPoints: false).characters == "  12")
    #expect(SegmentText(badge: 10_203, width: 4, hasDecimalPoints: true).characters == "9.9.9.9.")
    #expect(SegmentText(badge: 4_506_789, width: 8, hasDecimalPoints: true).characters == " 4506789")
    #expect(SegmentText(digits: [0x01, 0x80]).characters == "? .")
  }
}
