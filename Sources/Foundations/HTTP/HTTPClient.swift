import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// A client of one server. Each request has its own connection, so nothing is kept open or has to be closed.
public struct HTTPClient: Sendable {
  /// The limits of a client. Every limit has a test that goes one past it.
  public struct Limits: Sendable, Hashable {
    public var bodyBytes = 16 * 1024 * 1024
    /// Bytes of one line of a streamed answer, its end not counted.
    public var lineBytes = 1024 * 1024
    public var connectTimeout: Duration = .seconds(5)

    public init() {}
  }

  public struct Answer: Sendable, Hashable {
    public let status: Int
    public let headers: HeaderFields
    public let body: [UInt8]

    public func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      try JSONDecoder().decode(type, from: Data(body))
    }

    /// - Throws: `HTTPClientError.refused` if the status is 300 or more, with the body's `error` and `hint`.
    public func requireSuccess() throws(HTTPClientError) {
      guard status >= 300 else { return }
      let body = try? json(ErrorBody.self)
      throw .refused(status: status, error: body?.error ?? "refused with status \(status)", hint: body?.hint)
    }
  }

  public let address: HTTPAddress
  private let limits: Limits
  private let group: any EventLoopGroup
  private let resolved: SocketAddress?
  private let secure: @Sendable (any Channel) throws -> Void

  /// - Parameters:
  ///   - resolved: the address to connect to, instead of looking up the name.
  ///   - secure: adds the handlers below HTTP to a connection, such as TLS.
  public init(
    _ address: HTTPAddress, at resolved: SocketAddress? = nil, limits: Limits = Limits(),
    group: any EventLoopGroup = .singletonMultiThreadedEventLoopGroup,
    secure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
  ) {
    self.address = address
    self.resolved = resolved
    self.limits = limits
    self.group = group
    self.secure = secure
  }

  /// Sends a request and returns the status of its answer; the rest of the answer is not read.
  public func status(
    of method: String, _ target: String, headers: HeaderFields, body: [UInt8], timeout: Duration
  ) async throws -> Int {
    try await exchange(method, target, headers, body, timeout: timeout) { head, _, _ in Int(head.status.code) }
  }

  /// Sends a request and reads its whole answer, of any status. Cancelling the task closes the connection.
  /// - Parameters:
  ///   - target: path and query, already escaped (`RequestTarget.encodedSegment`).
  ///   - timeout: the time from connecting to the end of the answer; nil for no limit.
  /// - Throws: `HTTPClientError`, `CancellationError`.
  public func send(
    _ method: String, _ target: String, headers: HeaderFields = [:], body: [UInt8] = [],
    timeout: Duration? = .seconds(60)
  ) async throws -> Answer {
    try await exchange(method, target, headers, body, timeout: timeout) { head, parts, _ in
      try await wholeAnswer(head, &parts)
    }
  }

  /// - Throws: the errors of `send`, and those of encoding `value`.
  public func send(
    _ method: String, _ target: String, json value: some Encodable, timeout: Duration? = .seconds(60)
  ) async throws -> Answer {
    let body = [UInt8](try JSONEncoder().encode(value))
    return try await send(method, target, headers: ["Content-Type": "application/json"], body: body, timeout: timeout)
  }

  /// Sends a request and passes the lines of its answer to `body` as they arrive; the connection closes when `body`
  /// returns or throws, or its task is cancelled. Flow control slows the server down to the pace of `body`.
  /// - Parameter timeout: the time until the answer begins. The stream itself may last for ever.
  /// - Throws: `HTTPClientError` (`.refused` if the status is 300 or more), the errors of `body`, `CancellationError`.
  public func lines<Result: Sendable>(
    _ target: String, timeout: Duration? = .seconds(60), _ body: (inout LineReader) async throws -> Result
  ) async throws -> Result {
    try await exchange("GET", target, [:], [], timeout: timeout) { head, parts, timer in
      guard head.status.code < 300 else {
        try await wholeAnswer(head, &parts).requireSuccess()
        throw HTTPClientError.malformedAnswer(address, reason: "the answer has no status")
      }
      timer?.cancel()
      timer = nil
      var reader = LineReader(parts: parts, address: address, limitBytes: limits.lineBytes)
      return try await body(&reader)
    }
  }

  typealias Parts = NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private typealias AsyncConnection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private func exchange<Result>(
    _ method: String, _ target: String, _ fields: HeaderFields, _ body: [UInt8], timeout: Duration?,
    _ answered: (HTTPResponseHead, inout Parts, _ timer: inout Scheduled<Void>?) async throws -> Result
  ) async throws -> Result {
    let connection = try await connect()
    let (channel, deadline) = (connection.channel, NIODeadline.now() + TimeAmount(timeout ?? .zero))
    // Closes the connection when its time is up; nil without a limit.
    var timer = timeout.map { _ in channel.eventLoop.scheduleTask(deadline: deadline) { channel.close(promise: nil) } }
    defer { timer?.cancel() }
    do {
      return try await connection.executeThenClose { inbound, outbound in
        var headers = HTTPHeaders()
        for field in fields.fields { headers.add(name: field.name, value: field.value) }
        let host = if case .tcp = address { address.description } else { "localhost" }
        headers.replaceOrAdd(name: "Host", value: host)
        headers.replaceOrAdd(name: "Connection", value: "close")
        headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)")
        let head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: target, headers: headers)
        // A server that refuses early closes its receiving side; its answer can still be read.
        do {
          try await outbound.write(.head(head))
          if !body.isEmpty { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
          try await outbound.write(.end(nil))
        } catch let error where error is ChannelError || error is IOError {}

        var parts = inbound.makeAsyncIterator()
        while let part = try await parts.next() {
          guard case .head(let head) = part else { break }
          if head.status.code < 200 { continue }
          return try await answered(head, &parts, &timer)
        }
        throw HTTPClientError.closedEarly(address)
      }
    } catch {
      try Task.checkCancellation()
      if let timeout, timer != nil, NIODeadline.now() >= deadline { throw HTTPClientError.timedOut(address, timeout) }
      switch error {
      case is ChannelError, is IOError, HTTPParserError.invalidEOFState: throw HTTPClientError.closedEarly(address)
      case is HTTPParserError, is NIOHTTPDecoderError:
        throw HTTPClientError.malformedAnswer(address, reason: "the answer is not HTTP/1.1")
      default: throw error
      }
    }
  }

  private func wholeAnswer(_ head: HTTPResponseHead, _ parts: inout Parts) async throws -> Answer {
    var headers = HeaderFields()
    for (name, value) in head.headers { headers.add(value, for: name) }
    var body: [UInt8] = []
    while let part = try await parts.next() {
      switch part {
      case .head: break
      case .body(let buffer):
        guard body.count + buffer.readableBytes <= limits.bodyBytes else {
          throw HTTPClientError.answerTooLarge(address, limitBytes: limits.bodyBytes)
        }
        body.append(contentsOf: buffer.readableBytesView)
      case .end: return Answer(status: Int(head.status.code), headers: headers, body: body)
      }
    }
    throw HTTPClientError.closedEarly(address)
  }

  private func connect() async throws -> AsyncConnection {
    try Task.checkCancellation()
    let bootstrap = ClientBootstrap(group: group).connectTimeout(TimeAmount(limits.connectTimeout))
    let secure = secure
    let initializer: @Sendable (any Channel) -> EventLoopFuture<AsyncConnection> = { channel in
      channel.eventLoop.makeCompletedFuture {
        try secure(channel)
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        return try AsyncConnection(wrappingChannelSynchronously: channel)
      }
    }
    do {
      switch address {
      case .unixSocket(let path):
        guard path.utf8.count <= HTTPAddress.unixPathLimit else {
          throw HTTPClientError.cannotConnect(
            address, reason: "a socket's path has at most \(HTTPAddress.unixPathLimit) bytes")
        }
        return try await bootstrap.connect(unixDomainSocketPath: path, channelInitializer: initializer)
      case .tcp(let host, let port):
        if let resolved { return try await bootstrap.connect(to: resolved, channelInitializer: initializer) }
        return try await bootstrap.connect(host: host, port: port, channelInitializer: initializer)
      }
    } catch {
      throw connectFailure(error)
    }
  }

  func connectFailure(_ error: any Error) -> any Error {
    switch error {
    case let error as NIOConnectionError:
      return error.connectionErrors.last.map { connectFailure($0.error) }
        ?? HTTPClientError.cannotConnect(address, reason: "the name \(error.host) has no address")
    case let error as IOError:
      switch error.errnoCode {
      case ENOENT, ENOTDIR: return HTTPClientError.noSocket(address)
      case ECONNREFUSED, ENOTSOCK: return HTTPClientError.connectionRefused(address)
      case EACCES, EPERM: return HTTPClientError.noPermission(address)
      case let code: return HTTPClientError.cannotConnect(address, reason: String(cString: strerror(code)))
      }
    case ChannelError.connectTimeout: return HTTPClientError.timedOut(address, limits.connectTimeout)
    case is HTTPClientError, is CancellationError: return error
    default: return HTTPClientError.cannotConnect(address, reason: "\(error)")
    }
  }
}

/// A reader of the lines of a streamed answer, at its caller's pace.
public struct LineReader {
  private var parts: HTTPClient.Parts
  private let address: HTTPAddress
  private let limitBytes: Int
  private var buffer = ByteBuffer()
  /// Bytes at the front of `buffer` that are known to hold no line feed.
  private var searched = 0
  private var isAtEnd = false

  init(parts: HTTPClient.Parts, address: HTTPAddress, limitBytes: Int) {
    self.parts = parts
    self.address = address
    self.limitBytes = limitBytes
  }

  /// Returns the next line without its end (`\n` or `\r\n`); nil at the end of the stream. A last line without an end
  /// counts.
  /// - Throws: `HTTPClientError.answerTooLarge` for a line above the limit, `.closedEarly` if the stream was cut off,
  ///   `.malformedAnswer` for a line that is not UTF-8; `CancellationError`.
  public mutating func next() async throws -> String? {
    while true {
      let view = buffer.readableBytesView
      if let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        let length = end - view.startIndex
        guard length <= limitBytes, var line = buffer.readSlice(length: length) else { throw tooLarge }
        buffer.moveReaderIndex(forwardBy: 1)
        buffer.discardReadBytes()
        searched = 0
        return try text(&line)
      }
      searched = buffer.readableBytes
      guard searched <= limitBytes else { throw tooLarge }
      if isAtEnd { return nil }
      guard let part = try await parts.next() else {
        try Task.checkCancellation()
        throw HTTPClientError.closedEarly(address)
      }
      switch part {
      case .head: continue
      case .body(var chunk): buffer.writeBuffer(&chunk)
      case .end:
        isAtEnd = true
        if buffer.readableBytes > 0 { buffer.writeInteger(UInt8(ascii: "\n")) }
      }
    }
  }

  private var tooLarge: HTTPClientError { .answerTooLarge(address, limitBytes: limitBytes) }

  private func text(_ line: inout ByteBuffer) throws(HTTPClientError) -> String {
    var bytes = line.readableBytesView
    if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformedAnswer(address, reason: "a line of the answer is not UTF-8")
    }
    return text
  }
}

/// The reason why a request got no answer. The command line tells "no daemon" from other failures by these cases.
public enum HTTPClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such socket, or no folder of that path.
  case noSocket(HTTPAddress)
  /// The socket or port refuses the connection: its server has ended.
  case connectionRefused(HTTPAddress)
  case noPermission(HTTPAddress)
  case cannotConnect(HTTPAddress, reason: String)
  case timedOut(HTTPAddress, Duration)
  case closedEarly(HTTPAddress)
  /// The answer, or a line of it, is larger than this client's limit.
  case answerTooLarge(HTTPAddress, limitBytes: Int)
  /// The answer is not HTTP, or a line of it is not UTF-8.
  case malformedAnswer(HTTPAddress, reason: String)
  /// A status of 300 or more, and the contents of its JSON body.
  case refused(status: Int, error: String, hint: String?)

  public var description: String {
    switch self {
    case .noSocket(let address): "\(address): there is no socket; start the server, or give the path of its socket"
    case .connectionRefused(let address): "\(address): no server listens there; start it"
    case .noPermission(let address):
      "\(address): no permission to connect; run this as the server's user or root, or join the socket's group"
    case .cannotConnect(let address, let reason): "\(address): cannot connect: \(reason); check the address"
    case .timedOut(let address, let limit): "\(address): no answer within \(limit); see the server's log"
    case .closedEarly(let address):
      "\(address): the server closed the connection before its answer was whole; see its log and try again"
    case .answerTooLarge(let address, let limit): "\(address): the answer is larger than \(limit) bytes; ask for less"
    case .malformedAnswer(let address, let reason): "\(address): \(reason); is it the right server?"
    case .refused(let status, let error, let hint): hint.map { "\(error); \($0)" } ?? "\(error) (status \(status))"
    }
  }
}
