// What may be called: by the address as it is written, and by the network that it is in.

import NIOCore
import Testing

@testable import WebCalls

@Suite("Where a call may go") struct CallTargetTests {
  @Test("The parts of an address, with the port of its scheme")
  func parts() throws {
    let plain = try CallTarget("https://hooks.example.com/a/b?c=%20d&e", from: .provider)
    #expect(plain.isSecure && plain.host == "hooks.example.com" && plain.port == 443)
    #expect(plain.target == "/a/b?c=%20d&e")
    let numeric = try CallTarget("http://[::1]:8080", from: .manifest)
    #expect(!numeric.isSecure && numeric.host == "::1" && numeric.port == 8080 && numeric.target == "/")
  }

  @Test(
    "What is not called, and what to write",
    arguments: [
      ("ftp://a.example/", CallOrigin.manifest, "'ftp' is not called; write https://HOST/PATH"),
      ("file:///etc/passwd", .manifest, "it is no address; write https://HOST/PATH"),
      ("hooks.example.com/a", .manifest, "it is no address; write https://HOST/PATH"),
      ("https:///a", .manifest, "it is no address; write https://HOST/PATH"),
      ("https://a.example/a b", .manifest, "it is no address; write https://HOST/PATH"),
      ("https://a.example/\r\nX: y", .manifest, "it is no address; write https://HOST/PATH"),
      ("https://ä.example/", .manifest, "it is no address; write https://HOST/PATH"),
      (
        "https://me:secret@a.example/", .manifest,
        "it has a name or password in it; the receiver checks the signature instead"
      ),
      ("https://a.example/#x", .manifest, "it has a fragment, which no server gets; leave out the '#'"),
      ("https://a.example:0/", .manifest, "its port is not 1 to 65535"),
      ("http://a.example/", .provider, "a push may only name https addresses"),
    ])
  func refused(url: String, origin: CallOrigin, why: String) {
    let refusal = #expect(throws: CallRefusal.self) { try CallTarget(url, from: origin) }
    #expect(refusal?.description == why)
  }

  @Test(
    "The network of an address; one of IPv4 stays what it is in any form",
    arguments: [
      ("127.0.0.1", AddressNetwork.machine), ("127.255.0.1", .machine), ("::1", .machine),
      ("::ffff:127.0.0.1", .machine),
      ("10.1.2.3", .site), ("172.15.0.1", .everywhere), ("172.16.0.1", .site), ("172.31.255.255", .site),
      ("172.32.0.1", .everywhere), ("192.168.1.1", .site), ("100.64.0.1", .site), ("100.128.0.1", .everywhere),
      ("fd00::1", .site), ("fc00::1", .site), ("169.254.169.254", .link), ("fe80::1", .link),
      ("::ffff:169.254.169.254", .link), ("0.0.0.0", .unusable), ("224.0.0.1", .unusable),
      ("255.255.255.255", .unusable),
      ("::", .unusable), ("ff02::1", .unusable), ("2002:7f00:1::", .unusable), ("64:ff9b::7f00:1", .unusable),
      ("93.184.215.14", .everywhere), ("2606:2800:21f::1", .everywhere),
    ] as [(String, AddressNetwork)])
  func network(text: String, network: AddressNetwork) throws {
    #expect(AddressNetwork(try SocketAddress(ipAddress: text, port: 443)) == network)
  }

  @Test("A manifest may name the machine and private networks, also by http; a push may name neither")
  func examined() throws {
    let address = { (text: String) in try SocketAddress(ipAddress: text, port: 443) }
    let manifest = try CallTarget("http://receiver.example/", from: .manifest)
    for text in ["127.0.0.1", "192.168.1.2", "fd00::1"] { try manifest.examine(address(text)) }
    let tells = #expect(throws: CallRefusal.self) { try manifest.examine(address("93.184.215.14")) }
    #expect(
      tells?.description
        == "receiver.example is not in a private network, so http would tell everybody; write https")
    try CallTarget("https://receiver.example/", from: .manifest).examine(address("93.184.215.14"))
    let push = try CallTarget("https://receiver.example/", from: .provider)
    try push.examine(address("93.184.215.14"))
    for text in ["127.0.0.1", "192.168.1.2", "169.254.169.254", "::ffff:10.0.0.1"] {
      let refusal = #expect(throws: CallRefusal.self) { try push.examine(address(text)) }
      #expect(refusal?.description.hasSuffix("in a private network: a push may not name it") == true)
    }
  }

  @Test("The signature is the HMAC-SHA256 of the time and the body, as any other program computes it")
  func signature() throws {
    let key = try #require(AppKey(bytes: Array(0..<32)))
    #expect(
      key.signature(of: Array(#"{"a":1}"#.utf8), at: 1_700_000_000)
        == "v1=03348adc068f3e120398d321e294ed21d5531ba19808733437c88c51d9ffdb14")
    #expect(AppKey(bytes: Array(0..<31)) == nil)
    #expect(AppKey.random() != AppKey.random())
  }

  @Test("Pauses double from the first to the longest")
  func pauses() {
    let limits = CallLimits()
    #expect([1, 2, 3, 12, 13, 1_000].map(limits.pause) == [1, 2, 4, 2_048, 3_600, 3_600].map { .seconds($0) })
  }
}
