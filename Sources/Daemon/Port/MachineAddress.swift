// A printed address must work from another room, so it is not `localhost` or a name of this machine only.

import FoundationEssentials
import NIOCore
import NIOPosix
import Synchronization

/// The name or address under which other machines on the network reach this one.
final class MachineAddress: Sendable {
  enum Limits {
    /// The time that a responder on this machine has to answer.
    static let wait: TimeAmount = .milliseconds(300)
    static let lifetime: TimeAmount = .seconds(60)
  }

  private let eventLoops: any EventLoopGroup
  private let hostName: String
  private let found = Mutex<(host: String?, until: NIODeadline)?>(nil)

  init(eventLoops: any EventLoopGroup, hostName: String = ProcessInfo.processInfo.hostName) {
    self.eventLoops = eventLoops
    self.hostName = hostName
  }

  /// Returns `NAME.local` if multicast DNS has that name for this machine [RFC 6762]; else the address that the default
  /// route uses, or another one of the network; nil if there is no network.
  func reachable() async -> String? {
    if let known = found.withLock({ $0 }), known.until > .now() { return known.host }
    let host = await search()
    found.withLock { $0 = (host, .now() + Limits.lifetime) }
    return host
  }

  private func search() async -> String? {
    guard let address = await ofDefaultRoute() ?? MachineAddress.onNetwork().first else { return nil }
    let name = "\(hostName.split(separator: ".").first.map(String.init) ?? hostName).local".lowercased()
    if case .v4 = address, await isAnnounced(name, on: address) { return name }
    return address.ipAddress
  }

  /// Returns the source address of packets to the Internet. None is sent: the destinations are examples.
  private func ofDefaultRoute() async -> SocketAddress? {
    for destination in ["198.51.100.1", "2001:db8::1"] {
      guard let remote = try? SocketAddress(ipAddress: destination, port: 9),
        let channel = try? await DatagramBootstrap(group: eventLoops).connect(to: remote).get()
      else { continue }
      let local = channel.localAddress
      try? await channel.close()
      if let local, MachineAddress.isOnNetwork(local) { return local }
    }
    return nil
  }

  /// Returns the addresses of this machine's interfaces that other machines can reach, IPv4 first.
  private static func onNetwork() -> [SocketAddress] {
    let all = ((try? System.enumerateDevices()) ?? []).compactMap(\.address).filter(isOnNetwork)
    return all.filter { $0.protocol == .inet } + all.filter { $0.protocol == .inet6 }
  }

  private static func isOnNetwork(_ address: SocketAddress) -> Bool {
    guard let text = address.ipAddress else { return false }
    // An address in fe80::/10 is valid only together with an interface.
    return !(text.hasPrefix("127.") || text.hasPrefix("169.254.") || text == "::1" || text.hasPrefix("fe80:"))
  }

  /// Asks the responder on this machine, as a resolver on the network would.
  private func isAnnounced(_ name: String, on address: SocketAddress) async -> Bool {
    guard let query = MulticastQuestion(name), let group = try? SocketAddress(ipAddress: "224.0.0.251", port: 5353)
    else { return false }
    let own = Set(MachineAddress.onNetwork().compactMap { $0.ipAddress })
    let eventLoop = eventLoops.next()
    let answer = eventLoop.makePromise(of: Bool.self)
    let channel: any Channel
    do {
      var local = address
      local.port = 0
      channel = try await DatagramBootstrap(group: eventLoop)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(AnswerHandler(query, own: own, answer: answer))
          }
        }
        .bind(to: local).get()
      // Without a default route the kernel has no interface for multicast.
      let interface = address.withSockAddr { pointer, _ in
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { inet in
          Int(CInt(bitPattern: inet.pointee.sin_addr.s_addr))
        }
      }
      try await channel.setOption(.socketOption(.ip_multicast_if), value: interface).get()
      try await channel.writeAndFlush(AddressedEnvelope(remoteAddress: group, data: ByteBuffer(bytes: query.bytes)))
    } catch {
      answer.succeed(false)
      return false
    }
    let late = eventLoop.scheduleTask(in: Limits.wait) { answer.succeed(false) }
    let isAnnounced = (try? await answer.futureResult.get()) ?? false
    late.cancel()
    try? await channel.close()
    return isAnnounced
  }

  private final class AnswerHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let question: MulticastQuestion
    private let own: Set<String>
    private let answer: EventLoopPromise<Bool>

    init(_ question: MulticastQuestion, own: Set<String>, answer: EventLoopPromise<Bool>) {
      (self.question, self.own, self.answer) = (question, own, answer)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = Array(unwrapInboundIn(data).data.readableBytesView)
      // Another machine may have the name, and this one a different one; then its answer is ignored.
      if let addresses = question.addresses(in: bytes), !own.isDisjoint(with: addresses) { answer.succeed(true) }
    }
  }
}

/// A question for the IPv4 addresses of a name, whose answer is sent to the asker alone [RFC 6762, 5.1].
struct MulticastQuestion {
  let bytes: [UInt8]

  /// Nil for a name that is not valid in DNS.
  init?(_ name: String, id: UInt16 = .random(in: 1 ... .max)) {
    var bytes: [UInt8] = [UInt8(id >> 8), UInt8(id & 0xFF), 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard (1...63).contains(label.count) else { return nil }
      bytes.append(UInt8(label.count))
      bytes += label
    }
    // Type A; class IN, with a request for a unicast answer.
    self.bytes = bytes + [0, 0, 1, 0x80, 1]
  }

  /// Returns the IPv4 addresses in an answer to this question, as text; nil if it is not one.
  func addresses(in answer: [UInt8]) -> Set<String>? {
    guard answer.count >= 12, answer.prefix(2) == bytes.prefix(2), answer[2] & 0x80 != 0 else { return nil }
    func number(_ place: Int) -> Int { Int(answer[place]) << 8 | Int(answer[place + 1]) }
    var place = 12
    /// Skips a name; returns false if the packet ends within it.
    func skipName() -> Bool {
      while place < answer.count {
        let length = Int(answer[place])
        // A pointer ends a name.
        place += length & 0xC0 == 0xC0 ? 2 : length + 1
        if length == 0 || length & 0xC0 == 0xC0 { return place <= answer.count }
      }
      return false
    }
    for _ in 0..<number(4) {
      guard skipName() else { return nil }
      place += 4
    }
    var addresses: Set<String> = []
    for _ in 0..<number(6) {
      guard skipName(), place + 10 <= answer.count else { return nil }
      let (type, length) = (number(place), number(place + 8))
      place += 10 + length
      guard place <= answer.count else { return nil }
      guard type == 1, length == 4 else { continue }
      addresses.insert(answer[(place - 4)..<place].map(String.init).joined(separator: "."))
    }
    return addresses
  }
}
