import Crypto
import Foundation
import HTTP
import HandsetCore
import Logging
import NIOCore
import NIOHPACK
import NIOPosix
import Synchronization
import Testing

@testable import PushPort

let bell = AppID("com.example.bell")!
let token = String(repeating: "a1", count: 32)
let path = "/3/device/\(token)"

/// The tests' current time, 2026-11-21T08:00:00Z.
let now = WallTime(seconds: 1_795_248_000)

/// A provider as it is on its own side, with its private key.
struct TestProvider {
  var key = P256.Signing.PrivateKey()
  var teamID = "TEAM012345"
  var keyID = "KEY0123456"

  func provider(
    _ name: String = "bellringer", topics: [AppID] = [bell], environment: CredentialEnvironment = .both
  ) -> Provider {
    try! Provider(
      name: name, topics: topics,
      credential: .token(teamID: teamID, keyID: keyID, publicKey: ProviderKey(key.publicKey), environment: environment))
  }

  var directory: ProviderDirectory { try! ProviderDirectory([provider()]) }

  /// Returns a provider token; its parts can be made invalid.
  ///
  /// - Parameter sign: makes the signature of header and claims.
  func token(
    issuedAt: WallTime = now, header: String? = nil, claims: String? = nil,
    sign: (P256.Signing.PrivateKey, Data) -> Data = { try! $0.signature(for: $1).rawRepresentation }
  ) -> String {
    let header = header ?? #"{"alg":"ES256","kid":"\#(keyID)"}"#
    let claims = claims ?? #"{"iss":"\#(teamID)","iat":\#(issuedAt.microseconds / 1_000_000)}"#
    let signed = base64URL(Data(header.utf8)) + "." + base64URL(Data(claims.utf8))
    return signed + "." + base64URL(sign(key, Data(signed.utf8)))
  }
}

func base64URL(_ data: Data) -> String {
  data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

/// A receiver that records pushes and answers each with its script's outcome, at once or on `release`.
final class RecordingReceiver: PushReceiver {
  struct State {
    var pushes: [Push] = []
    var refusals: [RefusedPush] = []
    var waiting: [@Sendable (Input.Outcome) -> Void] = []
  }

  let state = Mutex(State())
  private let outcome: (@Sendable (Push) -> Input.Outcome)?
  private let received: AsyncStream<Push>.Continuation
  let arrivals: AsyncStream<Push>

  /// - Parameter outcome: the outcome of each push; nil delays all answers until `release`.
  init(outcome: (@Sendable (Push) -> Input.Outcome)? = { _ in .stored(.accepted) }) {
    self.outcome = outcome
    (arrivals, received) = AsyncStream.makeStream()
  }

  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void) {
    state.withLock { state in
      state.pushes.append(push)
      if outcome == nil { state.waiting.append(completion) }
    }
    if let outcome { completion(outcome(push)) }
    received.yield(push)
  }

  func note(_ refusal: RefusedPush) {
    state.withLock { $0.refusals.append(refusal) }
  }

  func release(_ outcome: Input.Outcome) {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for completion in waiting { completion(outcome) }
  }

  var pushes: [Push] { state.withLock { $0.pushes } }
  var refusals: [RefusedPush] { state.withLock { $0.refusals } }
}

extension PortClock {
  static func standing(at time: WallTime = now, isSynchronised: Bool = true) -> PortClock {
    PortClock(real: { time }, handset: { time }, isSynchronised: { isSynchronised })
  }
}

/// Returns the fields of a valid request; the given fields replace those of the same name, nil removes one.
func fields(_ changes: [String: String?] = [:], authorization: String? = nil, also: [(String, String)] = [])
  -> HPACKHeaders
{
  var all: [(String, String)] = [
    (":method", "POST"), (":scheme", "https"), (":path", path), (":authority", "localhost"),
    ("apns-topic", bell.text),
  ]
  if let authorization { all.append(("authorization", authorization)) }
  for (name, value) in changes {
    all.removeAll { $0.0 == name }
    if let value { all.append((name, value)) }
  }
  let pseudo = all.filter { $0.0.hasPrefix(":") }
  return HPACKHeaders(pseudo + all.filter { !$0.0.hasPrefix(":") } + also)
}

extension RequestHead {
  init(_ headers: HPACKHeaders) {
    self.init()
    for (name, value, _) in headers {
      Array(name.utf8).withUnsafeBytes { name in
        Array(value.utf8).withUnsafeBytes { value in add(name, value) }
      }
    }
  }
}

func mode(_ file: String) throws -> Int {
  try #require(FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int)
}

var silentLogger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

func testPort(
  _ providers: ProviderDirectory, recorder: any RefusalRecorder = RecordingReceiver(), limits: PortLimits = .patient,
  clock: PortClock = .standing(), environment: PushEnvironment = .production,
  eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, bench: (any PortBench)? = nil
) -> PushPort.Port {
  PushPort.Port(
    recorder: recorder, providers: providers, clock: clock, limits: limits, environment: environment,
    runtime: PortRuntime(logger: silentLogger, eventLoopGroup: eventLoopGroup), bench: bench)
}

extension PushPort.Port {
  static func withoutProviders(
    _ limits: PortLimits = .standard, uptime: @escaping @Sendable () -> Duration = { .zero }
  ) -> PushPort.Port {
    var clock = PortClock.standing()
    (clock.uptime, clock.machineUptime) = (uptime, uptime)
    return testPort(try! ProviderDirectory(), limits: limits, clock: clock)
  }
}

extension ProviderTokenVerifier {
  convenience init(
    limits: PortLimits, environment: PushEnvironment = .production,
    uptime: @escaping @Sendable () -> Duration = PortClock.system.uptime
  ) {
    var clock = PortClock.standing()
    clock.uptime = uptime
    self.init(testPort(try! ProviderDirectory(), limits: limits, clock: clock, environment: environment))
  }

  /// Returns the reason for refusing a token; nil if it is accepted.
  func refusal(
    of token: String, in directory: ProviderDirectory, at time: WallTime = now, isSynchronised: Bool = true
  ) -> APNsRefusal? {
    do throws(APNsRefusal) {
      _ = try provider(for: token.utf8, in: directory, now: time, clockIsSynchronised: { isSynchronised })
      return nil
    } catch {
      return error
    }
  }
}
