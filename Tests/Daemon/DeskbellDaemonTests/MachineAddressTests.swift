import NIOCore
import NIOPosix
import Testing

@testable import DeskbellDaemon

@Suite("The address for other machines") struct MachineAddressTests {
  private static let head: [UInt8] = [0x12, 0x34]
  private static let name = [4] + Array("bell".utf8) + [5] + Array("local".utf8) + [0]

  @Test("A question for a name's IPv4 addresses, to be answered to the asker")
  func question() throws {
    let question = try #require(MulticastQuestion("bell.local", id: 0x1234))
    #expect(question.bytes == Self.head + [0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.name + [0, 1, 0x80, 1])
    for name in ["", "bell..local", ".local", String(repeating: "b", count: 64) + ".local"] {
      #expect(MulticastQuestion(name) == nil)
    }
  }

  @Test("The addresses of an answer, with its names written out or as pointers")
  func answers() throws {
    let question = try #require(MulticastQuestion("bell.local", id: 0x1234))
    let counts: [UInt8] = [0x84, 0, 0, 1, 0, 2, 0, 0, 0, 0]
    let asked = Self.name + [0, 1, 0, 1]
    let first: [UInt8] = Self.name + [0, 1, 0x80, 1, 0, 0, 0, 10, 0, 4, 192, 168, 1, 7]
    let second: [UInt8] = [0xC0, 12, 0, 1, 0x80, 1, 0, 0, 0, 10, 0, 4, 10, 0, 0, 255]
    let answer = Self.head + counts + asked + first + second
    #expect(question.addresses(in: answer) == ["192.168.1.7", "10.0.0.255"])
    // Answers that are cut off, have another identifier, or are questions.
    for count in 0..<answer.count { #expect(question.addresses(in: Array(answer.prefix(count))) == nil) }
    #expect(question.addresses(in: [0x12, 0x35] + answer.dropFirst(2)) == nil)
    #expect(question.addresses(in: Self.head + [0x04] + answer.dropFirst(3)) == nil)
    // Names and other records contain no addresses.
    let other: [UInt8] = [0xC0, 12, 0, 28, 0x80, 1, 0, 0, 0, 10, 0, 1, 7]
    #expect(question.addresses(in: Self.head + [0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0] + other) == [])
  }

  @Test("It is neither localhost nor an address of this machine alone")
  func reachable() async throws {
    let machine = MachineAddress(eventLoops: MultiThreadedEventLoopGroup.singleton)
    let hasNetwork = try System.enumerateDevices().contains { device in
      device.address?.ipAddress.map { !$0.hasPrefix("127.") && $0 != "::1" && !$0.hasPrefix("fe80:") } ?? false
    }
    let host = await machine.reachable()
    #expect((host != nil) == hasNetwork)
    if let host { #expect(host != "localhost" && !host.hasPrefix("127.") && host != "::1") }
  }
}
