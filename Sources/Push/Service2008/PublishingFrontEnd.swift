import Clocks
import HTTP
import HandsetCore
import ServerIdentity

/// The 2008 Push Notification Service as announced [2008]: one resource, four calls, over either version of HTTP.
/// Its paths begin with any app's identifier, so it claims every request and is the last of a list.
public struct PublishingFrontEnd: FrontEnd {
  private let receiver: any PublishingReceiver
  private let checker: PasswordChecker
  private let pace = GuessPace(now: SystemClock.uptime)

  public init(_ receiver: any PublishingReceiver, limits: PortLimits) {
    self.receiver = receiver
    checker = PasswordChecker(
      waiting: limits.waitingPasswordChecks, kept: limits.keptPasswordChecks,
      perAddress: limits.waitingPasswordChecksPerAddress)
  }

  public func claims(_ head: RequestHead) -> Bool { true }

  public func makeSession(for client: Client) -> any FrontEndSession {
    PublishingSession(
      receiver, client.port, client.refusals,
      PasswordSession(
        providers: client.port.providers, checker: checker, pace: pace, address: client.ipAddress,
        failures: client.port.limits.failedPasswords))
  }
}

/// The password and the calls of one connection.
final class PublishingSession: FrontEndSession, Sendable {
  let receiver: any PublishingReceiver
  let port: Port
  let refusals: ConnectionRefusals
  private let passwords: PasswordSession

  init(
    _ receiver: any PublishingReceiver, _ port: Port, _ refusals: ConnectionRefusals, _ passwords: PasswordSession
  ) {
    self.receiver = receiver
    self.port = port
    self.refusals = refusals
    self.passwords = passwords
  }

  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    do {
      return .read(PublishingExchange(request: try PublishingRequest(head, port.limits), session: self))
    } catch {
      return .answer(refuse(error.error, topic: error.topic))
    }
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse { refuse(error, topic: nil) }

  /// Answers a request that was refused before its call.
  func refuse(_ error: HTTPError, topic: AppID?) -> HTTPResponse {
    let reason: PublishingReason? =
      switch error.status {
      case 405: .methodNotAllowed
      case 413: .payloadTooLarge
      default: nil
      }
    let detail =
      error.status == 413
      ? "a property list has at most \(grouped(Int64(port.limits.propertyListBytes))) bytes, tags included"
      : error.description
    let record = RefusedPush(
      id: nil, topic: topic, status: error.status, reason: reason?.rawValue ?? "BadRequest", detail: detail)
    if refusals.note(record, isCounted: false) { return PublishingRefusal.tooManyRefused.response }
    return reason.map { PublishingRefusal($0, detail).response } ?? .plainText(error.status, detail)
  }

  /// Checks the password, before the body is read; returns nil if it is right.
  func denial(of request: PublishingRequest) async -> HTTPResponse? {
    do throws(PublishingRefusal) {
      _ = try await provider(request)
      return nil
    } catch {
      return refuse(error, request, isCounted: false)
    }
  }

  func answer(_ request: PublishingRequest, _ body: [UInt8]) async -> HTTPResponse {
    var isCounted = false
    do throws(PublishingRefusal) {
      // The session remembers the password, which was checked before the body.
      let provider = try await provider(request)
      guard port.admitsRequest(of: provider) else {
        throw PublishingRefusal(.tooManyRequests, port.limits.tooManyRequests(of: provider))
      }
      isCounted = true
      let node = try address(request, provider)
      switch request.method {
      case .put: return try await publish(body, node)
      case .get: return try await readBack(node)
      case .post: return try await manage(request, node)
      }
    } catch {
      return refuse(error, request, isCounted: isCounted)
    }
  }

  private func provider(_ request: PublishingRequest) async throws(PublishingRefusal) -> Provider {
    // HTTP/1.1 refuses larger fields when it reads them; a stream of HTTP/2 may have more.
    guard request.headerBytes <= port.limits.headerListBytes else {
      throw PublishingRefusal(
        .headersTooLarge,
        "\(request.headerBytes) bytes of header fields; at most \(port.limits.headerListBytes)")
    }
    let provider = try await passwords.provider(of: try BasicCredential(request.authorization))
    refusals.authenticated(as: provider)
    return provider
  }

  private func refuse(_ refusal: PublishingRefusal, _ request: PublishingRequest, isCounted: Bool) -> HTTPResponse {
    let record = RefusedPush(
      id: nil, topic: request.topic, status: refusal.reason.status, reason: refusal.reason.rawValue,
      detail: refusal.detail)
    return (refusals.note(record, isCounted: isCounted) ? .tooManyRefused : refusal).response
  }
}

/// One call with a valid path and method.
private struct PublishingExchange: HTTPExchange {
  let request: PublishingRequest
  let session: PublishingSession

  var bodyLimit: Int { session.port.limits.propertyListBytes }

  var authorization: (@Sendable () async -> HTTPResponse?)? {
    { [request, session] in await session.denial(of: request) }
  }

  func receive(_ body: [UInt8], respond: @escaping @Sendable (HTTPResponse) -> Void) {
    Task(executorPreference: session.port.executor) { [request, session] in
      respond(await session.answer(request, body))
    }
  }

  func refuse(_ error: HTTPError) -> HTTPResponse { session.refuse(error, topic: request.topic) }
}
