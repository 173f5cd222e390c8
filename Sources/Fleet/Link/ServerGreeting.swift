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

  /// The time for connecting, and for each read.
  private static let patience = 3

  /// Waits for the server's greeting, for some seconds at most.
  /// - Throws: `FleetError` if nothing answers, or the answer is not that of a NATS server.
  public static func of(_ host: String, port: Int) throws(FleetError) -> ServerGreeting {
    let socket = try connect(to: host, port)
    guard let stream = fdopen(socket, "r") else {
      let reason = SystemError.last.reason
      close(socket)
      throw FleetError("\(host):\(port) cannot be read: \(reason)")
    }
    defer { fclose(stream) }
    var line = [CChar](repeating: 0, count: 32_768)
    fgets(&line, CInt(line.count), stream)
    let text = line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
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
      let socket = Glibc.socket(address.ai_family, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
      guard socket >= 0 else { continue }
      var time = timeval(tv_sec: patience, tv_usec: 0)
      for option in [SO_SNDTIMEO, SO_RCVTIMEO] {
        setsockopt(socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
      }
      if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
      // A connection that takes too long is still in progress (socket(7)).
      problem = SystemError(code: errno == EINPROGRESS ? ETIMEDOUT : errno).reason
      close(socket)
    }
    throw FleetError(
      "\(host):\(port): \(problem)", hint: "start nats-server on that machine, or set the network right")
  }

  /// True if the server keeps acknowledged messages. False for a version that cannot be read.
  public var isRecent: Bool {
    let numbers = version.prefix { $0.isNumber || $0 == "." }.split(separator: ".").compactMap { Int($0) }
    return numbers.count == 3 && !numbers.lexicographicallyPrecedes(Self.oldestVersion)
  }
}
