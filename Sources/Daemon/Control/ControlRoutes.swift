// The control API as a table. Each resource has a file: its bodies and answers, its routes with their code and their
// description, and its part of the client.

import AppLink
import Board
import Clocks
import HTTP
import HandsetCore
import HandsetStore
import Host
import NIOCore
import Speaker
import WebPanel

/// The parts of the daemon that the routes use.
struct ControlParts: Sendable {
  let host: Host
  let queue: InputQueue
  let handsets: Handsets
  let devices: DeviceTable
  /// The front of the board, and its display; nil if there is none.
  let front: Front?
  let display: BoardDescription.Display?
  /// The pattern that the motor plays at an uptime of the system, and the time since it began.
  let vibration: @Sendable (Duration) -> (pattern: VibrationPattern, elapsed: Duration)?
  let folders: AppFolders
  let link: AppLink
  let keys: AppKeys
  let language: String
  let library: SoundLibrary
  /// Plays a sound, whatever the handset's settings are; returns nil once it has begun, else the reason.
  let play: @Sendable (Sound, Volume) async -> String?
  var decoder = SoundDecoder.child
  let events: EventStreamSink
  let counters: MetricsSink
  let providers: ProvidersResource
  let certificates: CertificatesResource
  let clock: ClockController
  let panel: PanelAccess
  let metricsToken: MetricsToken
  let templates: [String]
  let channels: ChannelAdapter
  let pushAddress: String
  /// The address of the port without TLS; nil if there is none.
  let httpAddress: String?
  /// The address of the port for channels; nil if it has none of its own.
  var channelsAddress: String?
  let port: @Sendable () -> MetricsFigures.OfPort
  let settingsFile: String?
  let stateDirectory: String
  /// The system's uptime at the daemon's start.
  let started: Duration
  let eventLoop: any EventLoop
  /// Nil in a daemon that is no test bench.
  var bench: Bench?
  var benchSetup: BenchSetup?
  let installing = AppsResource.Installing()
  /// The wall time at the daemon's start, in seconds since 1970.
  let startedWall = Double(SystemClock.wallTime().microseconds) / 1_000_000

  /// - Parameter name: nil for the one on the board.
  /// - Throws: `ControlError` 404 with the nearest name.
  func handset(named name: String?) throws(ControlError) -> HandsetParts {
    guard let name else { return handset(handsets.board) }
    guard let found = handsets.all.first(where: { $0.name == name }) else {
      throw .unknown("handset", name, among: handsets.all.map(\.name), status: 404)
    }
    return handset(found)
  }

  /// All handsets, in the order of the settings.
  var allHandsets: [HandsetParts] { handsets.all.map { handset($0) } }

  private func handset(_ identity: StoredHandset) -> HandsetParts {
    HandsetParts(access: HandsetAccess(host: host, queue: queue, identity: identity), daemon: self)
  }
}

struct HandsetParts: Sendable {
  let access: HandsetAccess
  let daemon: ControlParts

  var id: HandsetID { access.identity.id }
  var name: String { access.identity.name }
  var isOnBoard: Bool { id == daemon.handsets.board.id }
}

/// The routes of the control API over a daemon. `docs/openapi.json`, which is made from them, describes them.
struct ControlRoutes: Sendable {
  /// The base path of the resources of the handset on the board.
  static let base = "/v1"
  /// The base path of the resources of any handset.
  static let handsetBase = "/v1/handsets/{handset}"

  /// The routes of each handset's resources: below `base` for the one on the board, below `handsetBase` for any.
  static let ofHandsets: [HandsetRoute] = Array(
    [
      StateResource.routes, AppsResource.routes, LocalNotificationsResource.routes, CenterResource.routes,
      ActivitiesResource.routes, SettingsResource.routes, FocusResource.routes, SnoozesResource.routes,
      FetchResource.routes, SoundsResource.routes, EventsResource.routes, PushesResource.routes,
      DeliveryLogResource.ofHandsets, SettledResource.routes, BenchResource.ofHandsets,
    ].joined())
  /// The routes of the installation's resources, with their whole paths.
  static let ofDaemon: [DaemonRoute] = Array(
    [
      ClockResource.routes, ProvidersResource.routes, AccessKeysResource.routes, HandsetsResource.routes,
      CertificatesResource.routes, PanelResource.routes, MetricsResource.routes, DeliveryLogResource.routes,
      RequestsResource.routes, FaultsResource.routes, LintResource.routes, BenchResource.routes,
      ChannelsResource.routes, OpenAPI.routes,
    ].joined())

  let routes: [Route]

  init(_ parts: ControlParts) {
    let ofHandsets: [Route] = ControlRoutes.ofHandsets.flatMap { route in
      [
        route.bound(below: ControlRoutes.base) { _ in try parts.handset(named: nil) },
        route.bound(below: ControlRoutes.handsetBase) { try parts.handset(named: $0.parameter("handset")) },
      ]
    }
    routes = ofHandsets + ControlRoutes.ofDaemon.map { $0.bound { _ in parts } }
  }
}

typealias HandsetRoute = ControlRoute<HandsetParts>
typealias DaemonRoute = ControlRoute<ControlParts>

/// A route with its description. Query parameters that it does not describe are refused. Its answer is the value that
/// its handler returns: a body, a list of them, nothing, or a response of its own.
struct ControlRoute<Parts: Sendable>: Sendable {
  typealias Handler<Answer> = @Sendable (Parts, HTTPRequest) async throws -> Answer

  let operation: Operation
  private let handler: Handler<HTTPResponse>

  /// - Parameters:
  ///   - path: the path below the base of a handset's resources, or the whole path.
  ///   - name: the name of the operation, unique in the API.
  ///   - details: what the summary leaves out.
  ///   - parameters: the meanings of the parameters in the path, except those with the usual one.
  ///   - body: an example of the body; nil for none.
  ///   - refusals: the statuses with which requests are refused besides 400 and 503, for handsets also 404; each with
  ///     its meaning, or an empty text for the usual one.
  init(
    _ method: String, _ path: String, _ name: String, in section: Operation.Section, _ summary: String,
    details: String? = nil, parameters: [String: String] = [:], query: [Operation.Query] = [],
    body: (any RequestBody)? = nil, bodyLimit: Int = HTTPLimits.defaultBodyBytes, response: Operation.Answer,
    refusals: [Int: String] = [:], handler: @escaping Handler<HTTPResponse>
  ) {
    operation = Operation(
      method: method, path: path, name: name, section: section, summary: summary, details: details,
      parameters: parameters, query: query, body: body, bodyLimit: bodyLimit, answer: response, refusals: refusals)
    self.handler = handler
  }

  /// - Parameter answer: the meaning of the answer; of a list with the order of its items.
  init<Value: Recordable & Encodable>(
    _ method: String, _ path: String, _ name: String, in section: Operation.Section, _ summary: String,
    details: String? = nil, parameters: [String: String] = [:], query: [Operation.Query] = [],
    body: (any RequestBody)? = nil, bodyLimit: Int = HTTPLimits.defaultBodyBytes, answer: String,
    refusals: [Int: String] = [:], handler: @escaping Handler<Value>
  ) {
    self.init(
      method, path, name, in: section, summary, details: details, parameters: parameters, query: query, body: body,
      bodyLimit: bodyLimit, response: Operation.Answer(meaning: answer, form: Value.form), refusals: refusals
    ) { parts, request in try .json(await handler(parts, request)) }
  }

  /// - Parameter done: the meaning of the answer 204, which has no body.
  init(
    _ method: String, _ path: String, _ name: String, in section: Operation.Section, _ summary: String,
    body: (any RequestBody)? = nil, done: String = "Done.", refusals: [Int: String] = [:],
    handler: @escaping Handler<Void>
  ) {
    self.init(
      method, path, name, in: section, summary, body: body, response: Operation.Answer(meaning: done, form: nil),
      refusals: refusals
    ) { parts, request in
      try await handler(parts, request)
      return .noContent
    }
  }

  fileprivate func bound(
    below base: String = "", to parts: @escaping @Sendable (HTTPRequest) throws -> Parts
  ) -> Route {
    Route(operation.method, base + operation.path, bodyLimit: operation.bodyLimit) { request in
      let known = operation.query.map(\.name)
      for item in request.target.query where !known.contains(item.name) {
        throw ControlError(
          400, "\(request.target.path) has no query parameter '\(shown(item.name))'",
          hint: known.isEmpty ? nil : hint(for: item.name, among: known))
      }
      return try await handler(parts(request), request)
    }
  }
}

struct Operation: Sendable {
  struct Section: Sendable {
    let name: String
    let meaning: String

    static let state = Section(name: "State", meaning: "The handset's presentation, and the daemon's devices.")
    static let apps = Section(name: "Apps", meaning: "Install apps and control their lifecycle.")
    static let local = Section(name: "Local notifications", meaning: "An app's scheduled notifications.")
    static let center = Section(name: "Notification Center", meaning: "Notifications and the alert's buttons.")
    static let settings = Section(name: "Settings", meaning: "The user's choices, conditions, snoozes, sounds.")
    static let events = Section(name: "Events", meaning: "Events, and why a push rang or did not.")
    static let clock = Section(name: "Clock", meaning: "The handset's clock.")
    static let providers = Section(name: "Providers", meaning: "Providers and access keys.")
    static let bench = Section(name: "Test bench", meaning: "What providers sent, and what came of it.")
    static let daemon = Section(name: "Daemon", meaning: "Certificates, panel, metrics, handsets.")

    static let all = [state, apps, local, center, settings, events, clock, providers, bench, daemon]
  }

  struct Query: Sendable {
    let name: String
    let meaning: Meaning
    var form = Form.text
    /// The value if it is absent; nil for none.
    var standard: JSONValue?

    static let app = Query(name: "app", meaning: "Only this app.")
  }

  struct Answer: Sendable {
    let meaning: String
    /// The form of the body; nil for 204 without one.
    let form: Form?
    var type = "application/json"
    /// The meaning of status 503 with the same body; nil for the usual one.
    var failing: String?
  }

  let method: String
  let path: String
  let name: String
  let section: Section
  let summary: String
  let details: String?
  let parameters: [String: String]
  let query: [Query]
  let body: (any RequestBody)?
  let bodyLimit: Int
  let answer: Answer
  let refusals: [Int: String]

  var parameterNames: [String] {
    path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
  }

  /// Returns the meaning of a parameter in the path; nil if it has none, which a test excludes.
  func meaning(ofParameter name: String) -> String? {
    let usual = [
      "id": "A bundle identifier.", "key": "A setting's name.", "number": "A notification's number.",
      "channel": "A channel's identifier, percent-encoded.",
      "handset": "A handset's name, as GET /v1/handsets lists them.",
      "identifier": "The app's own name for the notification, 1 to 64 bytes.",
      "name": "1 to 64 letters, digits, dots, dashes and underscores.",
    ]
    return parameters[name] ?? usual[name]
  }
}
