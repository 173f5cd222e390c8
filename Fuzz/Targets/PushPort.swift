// A connection to the push port behind its TLS: the HTTP version is detected, frames and requests are checked against
// the limits, credentials are checked, and accepted pushes go to the handset. The port is a desk's: no request has a
// number of a test bench, and so no fault.

import HTTP
import HandsetCore
import Logging
import NIOCore
import NIOEmbedded
import ServerIdentity
import Synchronization

@testable import PushPort

func runPushPort(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let connection = try FuzzedConnection()
  let receiver = FuzzedReceiver()
  let service = KnownUser(of: receiver)
  connection.isBusy = { service.isChecking }
  do {
    let port = try Port(
      receiver, portProviders.get(), eventLoop: connection.channel.embeddedEventLoop, executor: connection.executor)
    let server = try PushServer(
      port, frontEnds: [APNsFrontEnd(receiver), ChannelsFrontEnd(receiver), service], identity: nil)
    try server.accept(connection.channel).wait()
  } catch {
    throw FuzzTarget.Finding(description: "no port: \(error)")
  }
  try connection.run(bytes)
  if let finding = receiver.finding { throw finding }
  if connection.answer.readableBytesView.starts(with: "HTTP/1.1".utf8) { return }
  try checkFrames(connection.answer)
}

/// Checks that the answer is whole frames, none too large; after a GOAWAY only frames of streams that it accepts.
private func checkFrames(_ answer: ByteBuffer) throws(FuzzTarget.Finding) {
  var index = answer.readerIndex
  var lastStream = UInt32.max
  while index < answer.writerIndex {
    guard let header = FrameHeader(at: index, of: answer) else {
      throw FuzzTarget.Finding(description: "half a frame is answered")
    }
    try hold(header.stream <= lastStream, "GOAWAY refuses streams after \(lastStream): \(header)")
    if header.kind == FrameHeader.Kind.goAway {
      lastStream = answer.getInteger(at: index + FrameHeader.size, as: UInt32.self) ?? 0
    }
    index += FrameHeader.size + header.length
    try hold(header.length <= HTTP2Connection.StateMachine.frameBytes, "a frame is too large: \(header)")
    try hold(index <= answer.writerIndex, "a frame is cut: \(header)")
  }
}

/// The providers of the corpus, which has a valid token and the password. The hash has the lowest cost.
private let portProviders = Result {
  let topics = [HandsetInUse.mail].compactMap(\.self)
  return [
    try Provider(
      name: "tokens", topics: topics,
      credential: .token(
        teamID: "TEAM567890", keyID: "PORTKEY001", publicKey: ProviderKey(pem: portKeyPEM), environment: .both)),
    try Provider(
      name: "password", topics: topics,
      credential: .password(
        PasswordHash(
          stored: "$scrypt$ln=1,r=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg==$MDLAj8t5IJu9XD5dJ7dNSioSUnKEwZeY2mn120BSHM8=")
          ?? .unmatchable)),
  ]
}

private let portKeyPEM = """
  -----BEGIN PUBLIC KEY-----
  MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE66jRZ5IGoJKi5Zcf6M8puEBhu3VT
  8cARdgMyNqMotghjPPFLrrRuKAxFOQQm4y/SvYTo19ub8KWbMyPRDNCzow==
  -----END PUBLIC KEY-----
  """

extension Port {
  /// A port of the given providers in front of a handset, whose clocks stand still.
  convenience init(
    _ receiver: FuzzedReceiver, _ providers: [Provider], eventLoop: EmbeddedEventLoop,
    executor: (any TaskExecutor)? = nil, at wall: WallTime = HandsetInUse.now.wall
  ) throws {
    self.init(
      recorder: receiver, providers: try ProviderDirectory(providers),
      clock: PortClock(
        real: { wall }, handset: { wall }, isSynchronised: { true }, uptime: { HandsetInUse.now.uptime }),
      runtime: PortRuntime(
        logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }, eventLoopGroup: eventLoop, executor: executor))
  }
}

/// A handset behind the port.
final class FuzzedReceiver: PushReceiver, PublishingReceiver, KeyedReceiver, ChannelKeeper {
  private struct State {
    var inUse = HandsetInUse.begin()
    var finding: FuzzTarget.Finding?
    var published: [UInt8]?
  }

  private let state = Mutex(State())
  private let device = DeviceID(bytes: [UInt8](repeating: 13, count: DeviceID.byteCount))

  var finding: FuzzTarget.Finding? { state.withLock(\.finding) }

  private func take(_ input: Input) -> Verdict {
    state.withLock { state in
      if let request = BenchContext.request {
        state.finding = FuzzTarget.Finding(description: "a desk's port has recorded a request: \(request)")
      }
      let verdict = state.inUse.answer(input)
      if verdict == .accepted, case .publish(_, _, let propertyList) = input { state.published = propertyList }
      do throws(FuzzTarget.Finding) {
        try state.inUse.follow(.wake)
      } catch {
        state.finding = error
      }
      return verdict
    }
  }

  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    completion(.stored(take(.push(push))))
  }

  func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void
  ) {
    if case .publish(let push, let channel) = request { _ = take(.broadcast(push, channel: channel)) }
    completion(.published)
  }

  func note(_ refusal: RefusedPush) { _ = take(.refused(refusal)) }

  func receive(_ input: Input, on handset: String?, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    completion(.stored(take(input)))
  }

  func isKnown(_ device: DeviceID) -> Bool { device == self.device }

  func submit(_ input: Input, to device: DeviceID) async -> Input.Outcome { .stored(take(input)) }

  func lastPublished(_ node: NodeID, on device: DeviceID) async -> LastPublished {
    state.withLock(\.published).map { .propertyList($0) } ?? .nothing
  }
}

/// The 2008 service for one user. For an unknown user the service hashes as long as for a known one, a tenth of a
/// second, which is too slow here.
private final class KnownUser: FrontEnd {
  private let service: PublishingFrontEnd
  private let checks = Mutex(0)

  init(of receiver: FuzzedReceiver) {
    service = PublishingFrontEnd(receiver, limits: .standard)
  }

  var isChecking: Bool { checks.withLock { $0 > 0 } }

  fileprivate func count(_ change: Int) { checks.withLock { $0 += change } }

  func claims(_ head: RequestHead) -> Bool { service.claims(head) }

  func makeSession(for client: Client) -> any FrontEndSession { Session(of: self, service.makeSession(for: client)) }

  private struct Session: FrontEndSession {
    let frontEnd: KnownUser
    let session: any FrontEndSession

    init(of frontEnd: KnownUser, _ session: any FrontEndSession) {
      self.frontEnd = frontEnd
      self.session = session
    }

    func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
      let credential = try? BasicCredential(head.headers.values(of: "Authorization"))
      if let user = credential?.user, user != HandsetInUse.mail?.text { return .answer(.plainText(401, "not here")) }
      return switch session.open(head, from: client) {
      case .read(let exchange): .read(Counted(frontEnd: frontEnd, exchange: exchange))
      case .answer(let response): .answer(response)
      }
    }

    func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse { session.refuse(error, from: client) }
  }

  private struct Counted: HTTPExchange {
    let frontEnd: KnownUser
    let exchange: any HTTPExchange

    var bodyLimit: Int { exchange.bodyLimit }

    var authorization: (@Sendable () async -> HTTPResponse?)? {
      guard let authorize = exchange.authorization else { return nil }
      return { [frontEnd] in
        frontEnd.count(1)
        defer { frontEnd.count(-1) }
        return await authorize()
      }
    }

    func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
      frontEnd.count(1)
      exchange.receive(body, of: size) { [frontEnd] response in
        frontEnd.count(-1)
        respond(response)
      }
    }

    func refuse(_ error: HTTPError) -> HTTPResponse { exchange.refuse(error) }
  }
}
