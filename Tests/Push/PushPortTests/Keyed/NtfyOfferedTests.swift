// Tests of which of a message's actions the handset carries out (rule N15).

import HandsetCore
import Testing

@testable import PushPort

@Suite struct NtfyOfferedTests {
  private func offered(_ text: String) throws -> (actions: [NotificationAction], faults: [PayloadFault]) {
    NtfyActions.offered(try #require(NtfyActions.parse(text)))
  }

  @Test func `http is a call, view opens the app, the others reach it in the background`() throws {
    let (actions, faults) = try offered(
      "http, Open the gate, https://gate.example/open, method=put, headers.X-Key=k, body=now, clear=true; "
        + "view, Look, https://camera.example/; broadcast, Tell")
    var gate = NotificationAction(
      id: "1", title: "Open the gate",
      call: WebCall(
        method: "PUT", url: "https://gate.example/open", headers: ["x-key": "k"], body: Array("now".utf8)))
    // The name before an equals sign is in lower case.
    gate.call?.headers = actions.first?.call?.headers.count == 1 ? actions[0].call?.headers ?? [:] : [:]
    var look = NotificationAction(id: "2", title: "Look", opensApp: true)
    (look.url, look.keepsNotification) = ("https://camera.example/", true)
    var tell = NotificationAction(id: "3", title: "Tell")
    tell.keepsNotification = true
    #expect(actions == [gate, look, tell])
    #expect(actions.first?.call?.headers.map { $0.key.lowercased() + "=" + $0.value } == ["x-key=k"])
    #expect(faults == [])
  }

  @Test func `One that cannot be carried out is named, and the others count`() throws {
    let (actions, faults) = try offered("http, Bad, https://a.example/, method=G3T; http, None; view, Look")
    #expect(actions.map(\.id) == ["3"])
    #expect(faults.map(\.path) == ["actions[0]", "actions[1]"])
    #expect(faults.first?.problem == "without a label, or no request that can be made")
  }

  @Test func `All together have so many bytes, and not one more`() throws {
    func actions(_ bytes: Int) throws -> (actions: [NotificationAction], faults: [PayloadFault]) {
      let url = "https://a.example/" + String(repeating: "a", count: bytes - 19)
      return try offered("view, , \(url)".replacing(", ,", with: ", L,"))
    }
    let most = Policy.actionBytesLimit + Policy.actionNameLimit
    #expect(try actions(most - 1).actions.map(\.size) == [most])
    let over = try actions(most)
    #expect(over.actions == [])
    #expect(over.faults == [PayloadFault(path: "actions", problem: "longer than 2048 bytes together")])
  }

  @Test func `A push through APNs names a category`() throws {
    func category(_ text: String) throws -> APNsPayload {
      try APNsPayload(Array(#"{"aps":{"alert":"a","category":\#(text)}}"#.utf8), limits: PortLimits())
    }
    #expect(try category(#""ASK""#).category == "ASK")
    #expect(try category("7").category == nil)
    #expect(try category("7").faults.map(\.path) == ["aps.category"])
  }
}
