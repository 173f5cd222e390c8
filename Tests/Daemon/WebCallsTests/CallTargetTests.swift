import NIOCore
import Testing

@testable import HTTP
@testable import WebCalls

private let nowhere = Neighbours(uptime: { .zero }, read: { [] })

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
    let refusal = #expect(throws: CallFailure.self) { try CallTarget(url, from: origin) }
    #expect(refusal?.description == why)
  }

  @Test(
    "The network of an address; one of IPv4 stays what it is in any form",
    arguments: [
      ("127.0.0.1", AddressNetwork.local), ("127.255.0.1", .local), ("::1", .local),
      ("::ffff:127.0.0.1", .local),
      ("10.1.2.3", .local), ("172.15.0.1", .everywhere), ("172.16.0.1", .local), ("172.31.255.255", .local),
      ("172.32.0.1", .everywhere), ("192.168.1.1", .local), ("100.64.0.1", .local), ("100.128.0.1", .everywhere),
      ("fd00::1", .local), ("fc00::1", .local), ("169.254.169.254", .local), ("fe80::1", .local),
      ("::ffff:169.254.169.254", .local), ("0.0.0.0", .unusable), ("224.0.0.1", .unusable),
      ("255.255.255.255", .unusable),
      ("::", .unusable), ("ff02::1", .unusable), ("2002:7f00:1::", .unusable), ("64:ff9b::7f00:1", .unusable),
      ("93.184.215.14", .everywhere), ("2606:2800:21f::1", .everywhere),
      // Each of IANA's registries of special-purpose addresses, and the addresses beside it.
      ("198.17.255.255", .everywhere), ("198.18.0.0", .local), ("198.19.255.255", .local), ("198.20.0.0", .everywhere),
      ("::ffff:198.18.0.1", .local),
      ("192.0.0.255", .unusable), ("192.0.1.0", .everywhere), ("192.0.2.1", .unusable), ("192.0.78.1", .everywhere),
      ("192.88.98.255", .everywhere), ("192.88.99.1", .unusable), ("192.88.100.0", .everywhere),
      ("198.51.99.255", .everywhere), ("198.51.100.1", .unusable), ("198.51.101.0", .everywhere),
      ("203.0.112.255", .everywhere), ("203.0.113.1", .unusable), ("203.0.114.0", .everywhere),
      ("223.255.255.255", .everywhere), ("240.0.0.1", .unusable),
      ("64:ff9b:1::7f00:1", .unusable), ("100::1", .unusable), ("100:0:0:1::1", .unusable), ("::7f00:1", .unusable),
      ("1fff::1", .unusable), ("2001::1", .unusable), ("2001:0:7f00:1::", .unusable), ("2001:2::1", .unusable),
      ("2001:1ff:ffff::1", .unusable), ("2001:200::1", .everywhere), ("2001:db7::1", .everywhere),
      ("2001:db8::1", .unusable), ("2001:db9::1", .everywhere), ("2002::1", .unusable), ("2003::1", .everywhere),
      ("3ffe::1", .everywhere), ("3fff::1", .unusable), ("3fff:fff::1", .unusable), ("3fff:1000::1", .everywhere),
      ("4000::1", .unusable), ("5f00::1", .unusable),
    ] as [(String, AddressNetwork)])
  func network(text: String, network: AddressNetwork) throws {
    #expect(AddressNetwork(try SocketAddress(ipAddress: text, port: 443), neighbours: nowhere) == network)
  }

  @Test(
    "An address on a network of this machine's is private, as far as the network goes",
    arguments: [
      ("2606:2800:21f:7:ffff:ffff:ffff:ffff", AddressNetwork.local), ("2606:2800:21f:7::", .local),
      ("2606:2800:21f:6:ffff:ffff:ffff:ffff", .everywhere), ("2606:2800:21f:8::", .everywhere),
      ("93.184.215.128", .local), ("93.184.215.255", .local), ("::ffff:93.184.215.200", .local),
      ("93.184.215.127", .everywhere), ("93.184.216.128", .everywhere),
      // An address's own network comes first.
      ("127.0.0.1", .local), ("fe80::1", .local), ("2002:7f00:1::", .unusable),
    ])
  func own(text: String, network: AddressNetwork) throws {
    let mapped: UInt128 = 0xFFFF << 32
    let networks = [
      IPv6Network(of: 0x2606_2800_021F_0007 << 64 | 7, mask: UInt128.max << 64),
      IPv6Network(of: mapped | 0x5DB8_D785, mask: UInt128.max << 7),
    ]
    let own = Neighbours(uptime: { .zero }, read: { networks })
    #expect(AddressNetwork(try SocketAddress(ipAddress: text, port: 443), neighbours: own) == network)
  }

  @Test("The networks of this machine are those of its interfaces")
  func interfaces() throws {
    let neighbours = Neighbours()
    #expect(try neighbours.include(SocketAddress(ipAddress: "127.255.255.254", port: 1)))
    #expect(try !neighbours.include(SocketAddress(ipAddress: "128.0.0.0", port: 1)))
    for device in try System.enumerateDevices() {
      if let address = device.address { #expect(neighbours.include(address) == (device.netmask != nil)) }
    }
  }

  @Test("A manifest may name the machine and private networks, also by http; a push may name neither")
  func examined() throws {
    let address = { (text: String) in try SocketAddress(ipAddress: text, port: 443) }
    let manifest = try CallTarget("http://receiver.example/", from: .manifest)
    for text in ["127.0.0.1", "192.168.1.2", "fd00::1"] { try manifest.examine(address(text), neighbours: nowhere) }
    let tells = #expect(throws: CallFailure.self) {
      try manifest.examine(address("93.184.215.14"), neighbours: nowhere)
    }
    #expect(
      tells?.description
        == "receiver.example is not in a private network, so http would tell everybody; write https")
    try CallTarget("https://receiver.example/", from: .manifest).examine(
      address("93.184.215.14"), neighbours: nowhere)
    let push = try CallTarget("https://receiver.example/", from: .provider)
    try push.examine(address("93.184.215.14"), neighbours: nowhere)
    for text in ["127.0.0.1", "192.168.1.2", "169.254.169.254", "::ffff:10.0.0.1"] {
      let refusal = #expect(throws: CallFailure.self) { try push.examine(address(text), neighbours: nowhere) }
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
