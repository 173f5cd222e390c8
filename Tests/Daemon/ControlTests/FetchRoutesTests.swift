import HandsetCore
import Testing

@testable import ControlTestSupport
@testable import DeskbellDaemon

@Suite("F4: fetching over the API") struct FetchRoutesTests {
  private func publish(_ number: UInt64) async throws {
    let push = Push(
      id: PushID(high: 0, low: number), token: ControlRig.token(1), topic: AppID(mail)!,
      message: Message(body: .literal("Hi")), expiration: .at(WallTime(seconds: 2_000_000_000)))
    #expect(await asker.rig.apply(.push(push)) == .accepted)
  }

  @Test("What waits is in the state, and a fetch says how many there were", .daemonWithMail)
  func fetches() async throws {
    #expect(try await asker.client.state().waiting == [])
    _ = try await asker.client.set("fetch-mode", to: "fetch", of: nil)
    for number in UInt64(1)...2 { try await publish(number) }
    let wall = ControlRig.now.wall.microseconds
    let waiting = WaitingReport(
      app: mail, push: PushID(high: 0, low: 2).description, since: wall, until: wall + 900_000_000)
    #expect(try await asker.client.state().waiting == [waiting])
    #expect(try await asker.client.fetch(mail) == FetchReport(fetched: 1))
    #expect(try await asker.client.fetch(nil) == FetchReport(fetched: 0))
    #expect(try await asker.client.state().waiting == [])
  }

  @Test("Offline, or an app that is not there", .daemonWithMail)
  func refuses() async throws {
    try await asker.refuses([
      #"POST /v1/fetch {"app":"com.example.mial"}"#:
        "404 no app 'com.example.mial' is installed | did you mean 'com.example.mail'?"
    ])
    _ = try await asker.client.setCondition("offline", to: "on")
    try await asker.refuses([
      "POST /v1/fetch {}":
        "409 the handset is offline and can fetch nothing; what waits stays in the service | "
        + "go online first: deskbell conditions offline off"
    ])
  }
}
