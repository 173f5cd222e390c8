// The printed command line must be the push that would have been sent.

import Testing

@testable import ProviderClient

@Suite struct CurlLineTests {
  @Test func theWholePush() {
    let request = PushRequest(
      deviceToken: "c0ffee", topic: "com.example.mail", pushType: "alert", priority: 5, expiration: 0,
      collapseID: "a b", id: "8C072DB2-12F5-4B70-B99F-73F50AC5525B",
      payload: Array(#"{"aps":{"alert":"it's here"}}"#.utf8))
    let line = CurlLine.text(
      of: request, to: Endpoint(host: "localhost", port: 2197), authorityFile: "/tmp/my ca.pem", bearer: "a.b.c")
    #expect(
      line == "curl --http2 --cacert '/tmp/my ca.pem' --header 'authorization: bearer a.b.c'"
        + " --header 'apns-topic: com.example.mail' --header 'apns-push-type: alert' --header 'apns-priority: 5'"
        + " --header 'apns-expiration: 0' --header 'apns-collapse-id: a b'"
        + " --header 'apns-id: 8C072DB2-12F5-4B70-B99F-73F50AC5525B'"
        + #" --data '{"aps":{"alert":"it'\''s here"}}' https://localhost:2197/3/device/c0ffee"#)
  }

  @Test func whatIsLeftOut() {
    let line = CurlLine.text(
      of: PushRequest(deviceToken: "00", topic: nil, payload: []), to: Endpoint(host: "::1", port: 1),
      authorityFile: nil, bearer: "x")
    #expect(line == "curl --http2 --header 'authorization: bearer x' --data '' 'https://[::1]:1/3/device/00'")
  }

  @Test func aServerThatIsReachedByAnotherNameThanItsCertificates() {
    let named = Endpoint(host: "bell.example.org", port: 2197)
    let line = CurlLine.text(
      of: PushRequest(deviceToken: "00", topic: nil, payload: []), to: named,
      connectingTo: Endpoint(host: "::1", port: 2197), authorityFile: "/etc/chain.pem", bearer: "x")
    #expect(
      line == "curl --http2 --cacert /etc/chain.pem --connect-to '::[::1]:2197' --header 'authorization: bearer x'"
        + " --data '' https://bell.example.org:2197/3/device/00")
    let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d", name: "Inbox")
    #expect(
      CurlLine.text(
        of: .create(node), to: named, connectingTo: Endpoint(host: "localhost", port: 2197), authorityFile: nil,
        user: "com.example.mail", password: nil)
        == "curl --http2 --connect-to ::localhost:2197 --user com.example.mail --request POST"
        + " 'https://bell.example.org:2197/com.example.mail/0d/Inbox?action=create'")
  }

  @Test func publications() {
    let node = PublishingCall.Node(publisher: "com.example.mail", device: "0d", name: "In box")
    let endpoint = Endpoint(host: "localhost", port: 2197)
    #expect(
      CurlLine.text(of: .create(node), to: endpoint, authorityFile: "ca.pem", user: "com.example.mail", password: nil)
        == "curl --http2 --cacert ca.pem --user com.example.mail --request POST"
        + " 'https://localhost:2197/com.example.mail/0d/In%20box?action=create'")
    let publication = PublishingCall.publish(Array("<a/>".utf8), through: node)
    #expect(
      CurlLine.text(of: publication, to: endpoint, authorityFile: nil, user: "com.example.mail", password: "it's")
        == #"curl --http2 --user 'com.example.mail:it'\''s' --request PUT"#
        + " --header 'content-type: application/x-plist' --data '<a/>'"
        + " 'https://localhost:2197/com.example.mail/0d/In%20box'")
  }
}
