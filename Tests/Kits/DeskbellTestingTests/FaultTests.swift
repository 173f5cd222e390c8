import DeskbellTesting
import Foundation
import HTTP
import Testing

@testable import PushPort

/// The faults of the kit, read as the daemon reads them.
@Suite struct FaultTests {
  private func read(_ fault: DeskbellTesting.Fault) throws -> PushPort.Fault {
    let words = try JSONDecoder().decode([String: JSONValue].self, from: JSONEncoder().encode(fault.words))
    return try #require(try PushPort.Fault.read(words).first)
  }

  @Test func answers() throws {
    let fault = try read(.answer(410, reason: "Unregistered", retryAfter: .seconds(2), timestamp: 1_700_000_000_000))
    let answer = PushPort.Fault.Answer(
      status: 410, reason: "Unregistered", retryAfter: 2, timestamp: 1_700_000_000_000, body: nil)
    #expect(fault.action.kind == .answer(answer))
    let empty = PushPort.Fault.Answer(status: 503, reason: nil, retryAfter: nil, timestamp: nil, body: "")
    #expect(try read(.answer(503, body: "")).action.kind == .answer(empty))
  }

  @Test func delays() throws {
    let fault = try read(.delay(.milliseconds(1_500), .afterCommit))
    #expect(fault.action == PushPort.Fault.Action(.wait, delay: .milliseconds(1_500)))
    #expect(fault.moment == .afterCommit)
    #expect(try read(.silence()).action.kind == .silence)
    #expect(try read(.silence()).moment == .afterCommit)
    #expect(try read(.silence(.beforeCommit)).moment == .beforeCommit)
  }

  @Test func connections() throws {
    #expect(try read(.reset("refused-stream", .afterCommit)).action.kind == .reset(7))
    // The third request of a connection has stream 5.
    let fault = try read(.goaway(afterStream: 5, lastProcessed: 3, closes: false))
    #expect(
      fault.action.kind == .goAway(PushPort.Fault.GoAway(code: 0, last: .number(5), times: 1, closes: false)))
    #expect(fault.which == .range(5...5))
    let twice = PushPort.Fault.GoAway(code: 0, last: .this, times: 2, closes: true)
    #expect(try read(.goaway(twice: true)).action.kind == .goAway(twice))
    let settings = PushPort.Fault.Settings(streams: 1, window: 1_000)
    #expect(try read(.settings(streams: 1, window: 1_000)).action.kind == .settings(settings))
  }

  @Test(
    arguments: zip(
      [DeskbellTesting.Fault.Cut.accept, .request, .answer, .headers, .body], PushPort.Fault.Cut.allCases))
  func cuts(_ place: DeskbellTesting.Fault.Cut, _ expected: PushPort.Fault.Cut) throws {
    #expect(try read(.cut(place)).action.kind == .cut(expected))
  }

  @Test func cutsInPlaceOfTheAnswer() throws {
    #expect(try read(.cut(.answer)).moment == .afterCommit)
    #expect(try read(.cut(.answer, .beforeCommit)).moment == .beforeCommit)
  }

  @Test(
    arguments: zip(
      [DeskbellTesting.Fault.Certificate.expired, .notYetValid, .otherName, .otherAuthority],
      PushPort.Fault.CertificateFault.allCases))
  func certificates(_ certificate: DeskbellTesting.Fault.Certificate, _ expected: PushPort.Fault.CertificateFault)
    throws
  {
    #expect(try read(.certificate(certificate)).action.kind == .certificate(expected))
  }

  @Test func conditionsPresetsAndWords() throws {
    #expect(try read(.condition("offline")).action.kind == .condition(.offline))
    #expect(try read(.preset("unregistered")).preset == "unregistered")
    let answer = PushPort.Fault.Answer(status: 500, reason: nil, retryAfter: nil, timestamp: nil, body: nil)
    #expect(try read(.words(["answer": 500, "share": 0.5, "seed": 7])).action.kind == .answer(answer))
    #expect(try read(.words(["answer": 500, "share": 0.5, "seed": 7])).which == .share(0.5, seed: 7))
  }
}
