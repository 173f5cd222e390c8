// A server sends its greeting to every client: one line of text, before TLS and before credentials.

import FoundationEssentials
import Glibc
import SystemThreads

/// The first line of a server, `INFO {…}`.
public struct ServerGreeting: Decodable, Sendable {
  /// Older versions may lose an answered push with one server (nats-server 2.10.23's release notes).
  static let oldestVersion = [2, 10, 23]

  public var serverName: String
  public var version: String
  public var tlsRequired: Bool?
  public var jetstream: Bool?
  public var cluster: String?

  private static let patience: CInt = 3_000
  private static let bytes = 32_768

  /// Waits for the server's greeting, for some seconds at most.
  /// - Throws: `FleetError` if nothing answers, or the answer is not that of a NATS server.
  public static func of(_ host: String, port: Int) throws(FleetError) -> ServerGreeting {
    let socket = try connect(to: host, port)
    defer { close(socket) }
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !line.contains(10), line.count < bytes {
      guard waits(socket, for: CInt(POLLIN)) else { break }
      let count = recv(socket, &buffer, buffer.count, 0)
      if count <= 0 { break }
      line += buffer[..<count]
    }
    let text = line.prefix { $0 != 10 }
    guard text.starts(with: Array("INFO ".utf8)),
      let greeting = try? JetStream.decoder.decode(ServerGreeting.self, from: Data(text.dropFirst(5)))
    else {
      throw FleetError("what answers at \(host):\(port) is no NATS server", hint: "check host and port")
    }
    return greeting
  }

  private static func connect(to host: String, _ port: Int) throws(FleetError) -> CInt {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      throw FleetError("the host \(host) is not known: \(String(cString: gai_strerror(code)))")
    }
    defer { freeaddrinfo(list) }
    var problem = "no answer"
    var next = list
    while let address = next?.pointee {
      next = address.ai_next
      let socket = Glibc.socket(
        address.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { continue }
      var status: CInt = 0
      if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) != 0 { status = errno }
      if status == EINPROGRESS {
        status = waits(socket, for: CInt(POLLOUT)) ? 0 : ETIMEDOUT
        var length = socklen_t(MemoryLayout<CInt>.size)
        if status == 0 { getsockopt(socket, SOL_SOCKET, SO_ERROR, &status, &length) }
      }
      if status == 0 { return socket }
      problem = SystemError(code: status).reason
      close(socket)
    }
    throw FleetError(
      "\(host):\(port): \(problem)", hint: "start nats-server on that machine, or set the network right")
  }

  private static func waits(_ socket: CInt, for events: CInt) -> Bool {
    var entry = pollfd(fd: socket, events: Int16(events), revents: 0)
    return poll(&entry, 1, patience) == 1
  }

  /// True if the server keeps acknowledged messages. False for a version that cannot be read.
  public var isRecent: Bool {
    let numbers = version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
    return numbers.count == 3 && !numbers.lexicographicallyPrecedes(Self.oldestVersion)
  }
}
