// Topics and hooks: named access keys, each of which opens one app.

import HTTP
import HandsetCore
import Host
import PushPort
import StrictYAML

/// The two kinds of access with a key.
public enum KeyedWay: String, Sendable, CaseIterable {
  /// A topic, in the formats of ntfy and Gotify.
  case topic
  /// A hook at `/h/KEY`, in the format of any service.
  case hook

  /// The word for it in paths.
  var plural: String { rawValue + "s" }
}

public struct KeyReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "A topic or a hook: an access key that opens one app."

  public var name: String
  public var app: String
  public var handset: String?
  public var template: String?
  public var key: String?
  public var url: String?
  public var pin: String?
  public var httpURL: String?

  static let meanings: [String: Meaning] = [
    "name": "The name that the user chose; a topic's name is in its address.",
    "app": "The bundle identifier of the app that it opens.",
    "handset": "The name of the handset that it rings; absent for the one on the board.",
    "template": "The template that reads a hook's requests; absent for a topic.",
    "key": "The key, only if it was just made: it is not stored.",
    "url": Meaning(
      "The address for clients; a hook's has KEY in place of a key that was not just made. Absent if the push "
        + "port has no certificate with a name."),
    "pin": Meaning(
      "The pin of the server's key, for clients that do not know its authority; absent for a certificate of the "
        + "user's own."),
    "httpURL": "The same address without TLS; absent if there is no such port.",
  ]
}

public struct KeyRequest: RequestBody, Sendable {
  static let meaning = "The app that a topic or a hook opens."

  public var app: String
  public var handset: String?
  public var template: String?

  static let meanings: [String: Meaning] = [
    "app": "The bundle identifier of an installed app.",
    "handset": "The name of the handset; absent for the one on the board.",
    "template": "The template of a hook; absent for `plain`.",
  ]

  public init(app: String, handset: String? = nil, template: String? = nil) {
    self.app = app
    self.handset = handset
    self.template = template
  }
}

/// The topics and hooks of the installation. They are providers with access keys.
struct AccessKeysResource: Sendable {
  /// The addresses for their clients.
  struct Ports: Sendable {
    var push: String
    var http: String?
  }

  let providers: ProvidersResource
  let handsets: Handsets
  let host: Host
  let certificates: CertificatesResource
  /// The names of the templates for hooks.
  let templates: [String]
  let ports: Ports

  static let routes: [DaemonRoute] =
    KeyedWay.allCases.flatMap { keyRoutes($0) } + [
      DaemonRoute(
        "GET", "/v1/hook-templates", "hookTemplates", in: .providers, "The templates for hooks",
        response: .names("Their names, in order.")
      ) { daemon, _ in try .json(daemon.keys.templates) }
    ]

  private static func keyRoutes(_ way: KeyedWay) -> [DaemonRoute] {
    let (path, kind, capital) = ("/v1/\(way.plural)", way.rawValue, way == .topic ? "Topic" : "Hook")
    return [
      DaemonRoute(
        "GET", path, way.plural, in: .providers, "The \(way.plural)", list: "By name."
      ) { daemon, _ in try await daemon.keys.keys(way) },
      DaemonRoute(
        "PUT", "\(path)/{name}", "set\(capital)", in: .providers,
        "Add a \(kind) with a new key, or change what it opens",
        body: KeyRequest(app: "com.example.mail", template: way == .hook ? "github" : nil),
        answer: "Added, with its key; or changed, without its key, which stays the same.", refusals: [404: "", 409: ""]
      ) { daemon, request -> KeyReport in
        let name = try request.providerName(of: kind)
        let body: KeyRequest = try request.body()
        if way == .topic && body.template != nil {
          throw ControlError(400, "a topic has no template", hint: "deskbell hook add has one")
        }
        return try await daemon.keys.setKey(way, name, body)
      },
      DaemonRoute(
        "POST", "\(path)/{name}/key", "renew\(capital)Key", in: .providers, "Give a \(kind) a new key",
        answer: "With its new key; the old one is invalid from then on.", refusals: [404: ""]
      ) { daemon, request in try await daemon.keys.renewKey(way, request.parameter("name")) },
      DaemonRoute(
        "DELETE", "\(path)/{name}", "remove\(capital)", in: .providers, "Remove a \(kind)", refusals: [404: ""]
      ) { daemon, request in try await daemon.keys.removeKey(way, request.parameter("name")) },
    ]
  }

  private func keys(_ way: KeyedWay) async throws(ControlError) -> [KeyReport] {
    let reports = try await providers.stored().compactMap { KeyReport($0, way) }
    let certificate = try? await certificates.certificate()
    return reports.map { addressed($0, way, certificate) }.sorted { $0.name < $1.name }
  }

  /// Adds one with a new key, or changes what it opens and keeps its key.
  /// - Throws: `ControlError` 404 if the app is not installed, 409 if another provider has the name.
  private func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws(ControlError) -> KeyReport {
    let app = try await app(request)
    let template = request.template ?? HookTemplate.standard
    if way == .hook && !templates.contains(template) {
      throw ControlError(
        400, "there is no template '\(template)'",
        hint: nearest(template, among: templates).map { "did you mean '\($0)'?" }
          ?? "deskbell hook templates lists them")
    }
    let key = AccessKey.random()
    let provider = try await providers.set(name) { known in
      var opens = KeyedApp(key: AccessKey(key), handset: request.handset)
      if let known {
        guard let old = known.keyed(way) else {
          throw ControlError(409, "there is a provider '\(name)' already", hint: "deskbell provider list shows them")
        }
        opens.key = old.key
      }
      return try Provider(
        name: name, topics: [app], credential: way == .topic ? .topic(opens) : .hook(opens, template: template))
    }
    return try await report(provider, way, made: provider.keyed(way)?.key == AccessKey(key) ? key : nil)
  }

  /// Gives it a new key; the old one is invalid from then on.
  /// - Throws: `ControlError` 404 if there is none with that name.
  private func renewKey(_ way: KeyedWay, _ name: String) async throws(ControlError) -> KeyReport {
    let key = AccessKey.random()
    let provider = try await providers.set(name) { known in
      guard var provider = known, var opens = provider.keyed(way) else { throw ControlError.unknownKey(way, name) }
      opens.key = AccessKey(key)
      switch provider.credential {
      case .hook(_, let template): provider.credential = .hook(opens, template: template)
      default: provider.credential = .topic(opens)
      }
      return provider
    }
    return try await report(provider, way, made: key)
  }

  /// - Throws: `ControlError` 404 if there is none with that name.
  private func removeKey(_ way: KeyedWay, _ name: String) async throws(ControlError) {
    guard try await providers.stored().contains(where: { $0.name == name && $0.keyed(way) != nil }) else {
      throw .unknownKey(way, name)
    }
    try await providers.removeProvider(name)
  }

  /// Returns the app that a request names, which must be installed on its handset.
  private func app(_ request: KeyRequest) async throws(ControlError) -> AppID {
    guard let id = AppID(request.app) else { throw ControlError(400, "'\(request.app)' is no bundle identifier") }
    let number = request.handset.map { handsets.names.handset(named: $0) } ?? handsets.board.id
    guard let number else {
      throw ControlError(404, "there is no handset '\(request.handset ?? "")'", hint: "deskbell handsets lists them")
    }
    guard await host.read(number, { handset, _, _, _ in handset.apps[id] != nil }) else {
      throw ControlError(
        404, "no app '\(id)' is installed there",
        hint: "deskbell app install installs one, deskbell app list shows them")
    }
    return id
  }

  private func report(_ provider: Provider, _ way: KeyedWay, made key: String?) async throws(ControlError) -> KeyReport
  {
    guard var report = KeyReport(provider, way) else { throw .unknownKey(way, provider.name) }
    report.key = key
    return addressed(report, way, try? await certificates.certificate())
  }

  /// Adds the addresses for clients.
  /// - Parameter certificate: the port's certificate; nil if it has none.
  private func addressed(_ report: KeyReport, _ way: KeyedWay, _ certificate: CertificateReport?) -> KeyReport {
    var report = report
    guard let certificate, let host = certificate.host else { return report }
    if certificate.file == nil { report.pin = certificate.pin }
    let path = way == .topic ? report.name : "h/" + (report.key ?? "KEY")
    func url(_ scheme: String, _ address: String) -> String? {
      Configuration.Address(address).map { listening in
        // The user's own certificate is valid under its own names only.
        var reached = listening
        if listening.isEverywhere || certificate.file != nil { reached.host = host }
        return "\(scheme)://\(reached)/\(path)"
      }
    }
    report.url = url("https", ports.push)
    report.httpURL = ports.http.flatMap { url("http", $0) }
    return report
  }
}

extension ControlError {
  fileprivate static func unknownKey(_ way: KeyedWay, _ name: String) -> ControlError {
    ControlError(404, "there is no \(way.rawValue) '\(name)'", hint: "deskbell \(way.rawValue) list shows them")
  }
}

extension Provider {
  /// Returns the app that the provider's access key opens; nil if it has no key of that kind.
  fileprivate func keyed(_ way: KeyedWay) -> KeyedApp? {
    switch (credential, way) {
    case (.topic(let opens), .topic), (.hook(let opens, _), .hook): opens
    default: nil
    }
  }
}

extension KeyReport {
  /// Makes the report; nil if the provider has no key of that kind.
  fileprivate init?(_ provider: Provider, _ way: KeyedWay) {
    guard let opens = provider.keyed(way), let app = provider.topics.first else { return nil }
    var template: String?
    if case .hook(_, let name) = provider.credential { template = name }
    self.init(name: provider.name, app: app.text, handset: opens.handset, template: template)
  }
}

extension ControlClient {
  public func keys(_ way: KeyedWay) async throws -> [KeyReport] { try await get("/v1/\(way.plural)") }

  public func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws -> KeyReport {
    try await send("PUT", keyPath(way, name), request)
  }

  public func renewKey(_ way: KeyedWay, _ name: String) async throws -> KeyReport {
    try await send("POST", keyPath(way, name) + "/key")
  }

  public func removeKey(_ way: KeyedWay, _ name: String) async throws { try await send("DELETE", keyPath(way, name)) }

  public func hookTemplates() async throws -> [String] { try await get("/v1/hook-templates") }

  private func keyPath(_ way: KeyedWay, _ name: String) -> String {
    "/v1/\(way.plural)/" + RequestTarget.encodedSegment(name)
  }
}
