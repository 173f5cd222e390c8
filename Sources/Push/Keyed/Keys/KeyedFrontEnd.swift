import HTTP
import HandsetCore

struct KeyedRefusal: Error, Hashable {
  var status: Int
  /// The word for the reason, in its event.
  var reason: String
  /// The explanation for a person, without secrets.
  var detail: String
  /// ntfy's number of the error; nil for the status followed by 00.
  var code: Int?

  init(_ status: Int, _ reason: String, _ detail: String, code: Int? = nil) {
    self.status = status
    self.reason = reason
    self.detail = detail
    self.code = code
  }

  var isFailedAuthentication: Bool { self == .noKey || self == .wrongKey }

  /// The refusal without a key. Does not reveal whether the topic exists.
  static let noKey = KeyedRefusal(
    403, "Forbidden", "the request has no access key; 'deskbell topic add' makes one", code: 40301)

  static let wrongKey = KeyedRefusal(401, "Unauthorized", "no topic or hook has that access key", code: 40101)

  static let otherTopic = KeyedRefusal(403, "Forbidden", "the access key is of another topic", code: 40301)

  static let notFound = KeyedRefusal(404, "NotFound", "page not found", code: 40401)

  static func bad(_ detail: String, code: Int? = nil) -> KeyedRefusal {
    KeyedRefusal(400, "BadRequest", detail, code: code)
  }

  static func badMethod(_ method: String) -> KeyedRefusal {
    KeyedRefusal(405, "MethodNotAllowed", "\(method) is not for this path")
  }

  static func tooMany(_ detail: String, code: Int = 42901) -> KeyedRefusal {
    KeyedRefusal(429, "TooManyRequests", detail, code: code)
  }

  static func unavailable(_ detail: String) -> KeyedRefusal {
    KeyedRefusal(503, "ServiceUnavailable", "\(detail); try again in a moment")
  }

  static func tooLarge(_ limit: Int) -> KeyedRefusal {
    KeyedRefusal(413, "PayloadTooLarge", "the body is longer than \(grouped(Int64(limit))) bytes", code: 41301)
  }

  init(_ refusal: Refusal) {
    switch refusal {
    case .unknownApp, .goneApp: self.init(404, "NotFound", refusal.explanation, code: 40401)
    case .badLocalNotification(.tooLarge): self.init(413, "PayloadTooLarge", refusal.explanation, code: 41301)
    default: self.init(400, "BadRequest", refusal.explanation)
    }
  }

  init(_ error: HTTPError) { self.init(error.status, "BadRequest", error.description) }
}

/// The common part of the front ends with access keys: finding the provider of a key, reading messages, refusing
/// requests. No state belongs to a connection.
protocol KeyedFrontEnd: FrontEnd, FrontEndSession {
  var receiver: any KeyedReceiver { get }

  /// Puts a refusal into the protocol's form.
  static func words(of refusal: KeyedRefusal) -> HTTPResponse

  /// Checks a request by its head.
  /// - Parameter provider: set as soon as it is known, also if the request is refused after that.
  func open(
    _ head: RequestHead, from client: Client, _ provider: inout KeyedProvider?
  ) throws(KeyedRefusal) -> HTTPOpening
}

extension KeyedFrontEnd {
  func open(_ head: RequestHead, from client: Client) -> HTTPOpening {
    var provider: KeyedProvider?
    do throws(KeyedRefusal) {
      return try open(head, from: client, &provider)
    } catch {
      return .answer(refuse(error, provider, from: client))
    }
  }

  /// Returns the provider of a key, which has authenticated by it.
  /// - Parameter topic: the topic that the request names; a bench takes it without a key that it knows.
  /// - Throws: 403 without a key, 401 for an unknown key, 429 if its provider is too fast.
  func authenticate(_ client: Client, by key: String?, for topic: @autoclosure () -> String?) throws(KeyedRefusal)
    -> KeyedProvider
  {
    let port = client.port
    let added = key.flatMap { port.providers.provider(for: AccessKey($0)) }
    guard let provider = added ?? port.catchAll.flatMap({ all in topic().flatMap { all.keyed($0) } }) else {
      throw key == nil ? .noKey : .wrongKey
    }
    client.noteAuthenticated(as: provider.provider)
    guard port.admitsRequest(of: provider.provider) else {
      throw .tooMany(port.limits.tooManyRequests(of: provider.provider))
    }
    return provider
  }

  /// Accepts a request whose body makes an input.
  ///
  /// - Parameters:
  ///   - skips: true if a body that is too large is read and discarded.
  ///   - read: makes the input of the body, which is empty if it was discarded; `size` is the bytes that were received.
  /// - Throws: 413 or 503 if the body may not be read.
  func accept(
    _ head: RequestHead, of provider: KeyedProvider, from client: Client, skips: Bool = false,
    read: @escaping (_ body: [UInt8], _ size: Int) throws(KeyedRefusal) -> KeyedReading
  ) throws(KeyedRefusal) -> HTTPOpening {
    let allowance = try BodyAllowance(for: head, with: provider.key, skips: skips, client.port)
    return .read(
      KeyedExchange(provider: provider, allowance: allowance, frontEnd: self, client: client, read: read))
  }

  func refuse(_ error: HTTPError, from client: Client) -> HTTPResponse {
    refuse(KeyedRefusal(error), nil, from: client)
  }

  func refuse(_ refusal: KeyedRefusal, _ provider: KeyedProvider?, from client: Client) -> HTTPResponse {
    let record = RefusedPush(
      id: nil, topic: provider?.app, status: refusal.status, reason: refusal.reason, detail: refusal.detail)
    return client.refuse(
      record, isCounted: provider != nil,
      failure: refusal.isFailedAuthentication ? FailedAuthentication() : nil, with: Self.response(refusal),
      tooMany: { Self.response(.tooMany("too many refused requests")) })
  }

  /// Returns the response, with the time to try again if that helps.
  static func response(_ refusal: KeyedRefusal) -> HTTPResponse {
    var response = words(of: refusal)
    if refusal.status == 429 || refusal.status == 503 { response.headers.add("1", for: "retry-after") }
    return response
  }
}

/// The input that a body asks for, and the response once it is stored.
typealias KeyedReading = (input: Input, accepted: @Sendable () -> HTTPResponse)

/// One request with an access key whose head was accepted.
private struct KeyedExchange<Owner: KeyedFrontEnd>: HTTPExchange {
  let provider: KeyedProvider
  let allowance: BodyAllowance
  let frontEnd: Owner
  let client: Client
  let read: (_ body: [UInt8], _ size: Int) throws(KeyedRefusal) -> KeyedReading

  var bodyLimit: Int { allowance.limit }
  var skipLimit: Int { allowance.skipLimit }
  func moreBody() -> Int? { allowance.more() }

  func receive(_ body: [UInt8], of size: Int, respond: @escaping @Sendable (HTTPResponse) -> Void) {
    let reading: KeyedReading
    do throws(KeyedRefusal) {
      reading = try read(body, size)
    } catch {
      return respond(frontEnd.refuse(error, provider, from: client))
    }
    frontEnd.receiver.receive(reading.input, on: provider.handset) { [accepted = reading.accepted] outcome in
      switch outcome {
      case .stored(.accepted): respond(accepted())
      case .stored(.refused(let refusal)): respond(Owner.response(KeyedRefusal(refusal)))
      case .failed: respond(Owner.response(.unavailable("it could not be stored")))
      }
    }
  }

  func refuse(_ error: HTTPError) -> HTTPResponse {
    let refusal: KeyedRefusal =
      error.status == 413 ? allowance.refusal ?? .tooLarge(max(bodyLimit, skipLimit)) : KeyedRefusal(error)
    return frontEnd.refuse(refusal, provider, from: client)
  }
}

/// A provider with an access key, and the app and handset that the key opens.
struct KeyedProvider: Sendable {
  var provider: Provider
  var key: AccessKey
  var app: AppID
  var handset: String?
  /// The name of the template that reads its requests; nil for a topic.
  var template: String?

  var name: String { provider.name }

  /// The topic or hook that the key opens, its app and its handset. If one changes, it counts as a new key.
  var opens: [String?] { [name, app.text, handset] }

  /// Nil for a provider without an app, which does not exist.
  init?(_ provider: Provider, _ keyed: KeyedApp, template: String? = nil) {
    guard let app = provider.topics.first else { return nil }
    (self.provider, key, self.app, handset, self.template) = (provider, keyed.key, app, keyed.handset, template)
  }
}

extension RequestHead {
  /// The access key in `Authorization`, as in ntfy: a bearer token; or basic authentication with the key as the
  /// password of any user, or as the user without a password. Nil if there is none.
  var accessKey: String? { headers["authorization"].flatMap(RequestHead.accessKey(authorization:)) }

  static func accessKey(authorization field: String) -> String? {
    let scheme = field.prefix { $0 != " " }
    let rest = field.dropFirst(scheme.count).drop { $0 == " " }
    switch scheme.lowercased() {
    case "bearer": return rest.isEmpty ? nil : String(rest)
    case "basic":
      guard let credential = try? BasicCredential([field]) else { return nil }
      let password = String(decoding: credential.password, as: UTF8.self)
      return password.isEmpty ? credential.user : password
    default: return nil
    }
  }
}
