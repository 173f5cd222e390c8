import HTTP
import HandsetCore
import PushPort

public enum KeyKind: String, Sendable, CaseIterable {
  /// A topic, in the formats of ntfy and Gotify.
  case topic
  /// A hook at `/h/KEY`, in the format of any service.
  case hook

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
enum AccessKeysResource {
  static let routes: [DaemonRoute] =
    KeyKind.allCases.flatMap { keyRoutes($0) } + [
      DaemonRoute(
        "GET", "/v1/hook-templates", "hookTemplates", in: .providers, "The templates for hooks",
        answer: "Their names, in order."
      ) { daemon, _ in daemon.templates }
    ]

  private static func keyRoutes(_ kind: KeyKind) -> [DaemonRoute] {
    let (path, word, capital) = ("/v1/\(kind.plural)", kind.rawValue, kind == .topic ? "Topic" : "Hook")
    return [
      DaemonRoute(
        "GET", path, kind.plural, in: .providers, "The \(kind.plural)", answer: "By name."
      ) { daemon, _ -> [KeyReport] in
        let certificate = try? await daemon.certificates.certificate()
        return try await daemon.providers.stored().compactMap { daemon.report($0, kind, certificate) }
          .sorted { $0.name < $1.name }
      },
      DaemonRoute(
        "PUT", "\(path)/{name}", "set\(capital)", in: .providers,
        "Add a \(word) with a new key, or change what it opens",
        body: KeyRequest(app: "com.example.mail", template: kind == .hook ? "github" : nil),
        answer: "Added, with its key; or changed, without its key, which stays the same.", refusals: [404: "", 409: ""]
      ) { daemon, request -> KeyReport in
        let name = try request.providerName(of: word)
        let body: KeyRequest = try request.body()
        if kind == .topic && body.template != nil {
          throw ControlError(400, "a topic has no template", hint: "deskbell hook add has one")
        }
        return try await daemon.setKey(kind, name, body)
      },
      DaemonRoute(
        "POST", "\(path)/{name}/key", "renew\(capital)Key", in: .providers, "Give a \(word) a new key",
        answer: "With its new key; the old one is invalid from then on.", refusals: [404: ""]
      ) { daemon, request in try await daemon.renewKey(kind, request.parameter("name")) },
      DaemonRoute(
        "DELETE", "\(path)/{name}", "remove\(capital)", in: .providers, "Remove a \(word)", refusals: [404: ""]
      ) { daemon, request in
        let name = try request.parameter("name")
        guard try await daemon.providers.stored().contains(where: { $0.name == name && $0.keyed(kind) != nil }) else {
          throw ControlError.unknownKey(kind, name)
        }
        try await daemon.providers.removeProvider(name)
      },
    ]
  }
}

extension ControlParts {
  /// Adds one with a new key, or changes what it opens and keeps its key.
  /// - Throws: `ControlError` 404 if the app is not installed, 409 if another provider has the name.
  fileprivate func setKey(
    _ kind: KeyKind, _ name: String, _ request: KeyRequest
  ) async throws(ControlError) -> KeyReport {
    let app = try await app(request)
    let template = request.template ?? HookTemplate.standard
    if kind == .hook && !templates.contains(template) {
      throw .unknown("template", template, among: templates)
    }
    let key = AccessKey.random()
    let provider = try await providers.set(name) { known in
      var opens = KeyedApp(key: AccessKey(key), handset: request.handset)
      if let known {
        guard let old = known.keyed(kind) else {
          throw ControlError(409, "there is a provider '\(name)' already", hint: "deskbell provider list shows them")
        }
        opens.key = old.key
      }
      return try Provider(
        name: name, topics: [app], credential: kind == .topic ? .topic(opens) : .hook(opens, template: template))
    }
    return try await report(provider, kind, made: provider.keyed(kind)?.key == AccessKey(key) ? key : nil)
  }

  /// Gives it a new key; the old one is invalid from then on.
  /// - Throws: `ControlError` 404 if there is none with that name.
  fileprivate func renewKey(_ kind: KeyKind, _ name: String) async throws(ControlError) -> KeyReport {
    let key = AccessKey.random()
    let provider = try await providers.set(name) { known in
      guard var provider = known, var opens = provider.keyed(kind) else { throw ControlError.unknownKey(kind, name) }
      opens.key = AccessKey(key)
      provider.credential = provider.template.map { .hook(opens, template: $0) } ?? .topic(opens)
      return provider
    }
    return try await report(provider, kind, made: key)
  }

  /// Returns the app that a request names, which must be installed on its handset.
  private func app(_ request: KeyRequest) async throws(ControlError) -> AppID {
    guard let id = AppID(request.app) else { throw ControlError(400, "'\(request.app)' is no bundle identifier") }
    guard let handset = try? self.handset(named: request.handset) else {
      throw ControlError(404, "there is no handset '\(request.handset ?? "")'", hint: "deskbell handsets lists them")
    }
    guard try await handset.access.read({ handset, _, _, _ in handset.apps[id] != nil }) else {
      throw ControlError(
        404, "no app '\(id)' is installed there",
        hint: "deskbell app install installs one, deskbell app list shows them")
    }
    return id
  }

  private func report(
    _ provider: Provider, _ kind: KeyKind, made key: String?
  ) async throws(ControlError) -> KeyReport {
    guard let report = self.report(provider, kind, try? await certificates.certificate(), made: key) else {
      throw .unknownKey(kind, provider.name)
    }
    return report
  }

  /// - Parameter certificate: the port's certificate; nil if it has none.
  fileprivate func report(
    _ provider: Provider, _ kind: KeyKind, _ certificate: CertificateReport?, made key: String? = nil
  ) -> KeyReport? {
    guard let opens = provider.keyed(kind), let app = provider.topics.first else { return nil }
    var report = KeyReport(
      name: provider.name, app: app.text, handset: opens.handset, template: provider.template, key: key)
    guard let certificate, let host = certificate.host else { return report }
    if certificate.file == nil { report.pin = certificate.pin }
    let path = kind == .topic ? report.name : "h/" + (key ?? "KEY")
    func url(_ scheme: String, _ address: String) -> String? {
      Configuration.Address(address).map { listening in
        // The user's own certificate is valid under its own names only.
        var reached = listening
        if listening.isEverywhere || certificate.file != nil { reached.host = host }
        return "\(scheme)://\(reached)/\(path)"
      }
    }
    report.url = url("https", pushAddress)
    report.httpURL = httpAddress.flatMap { url("http", $0) }
    return report
  }
}

extension ControlError {
  fileprivate static func unknownKey(_ kind: KeyKind, _ name: String) -> ControlError {
    ControlError(404, "there is no \(kind.rawValue) '\(name)'", hint: "deskbell \(kind.rawValue) list shows them")
  }
}

extension Provider {
  fileprivate func keyed(_ kind: KeyKind) -> KeyedApp? {
    switch (credential, kind) {
    case (.topic(let opens), .topic), (.hook(let opens, _), .hook): opens
    default: nil
    }
  }

  fileprivate var template: String? { if case .hook(_, let template) = credential { template } else { nil } }
}

extension ControlClient {
  public func keys(_ kind: KeyKind) async throws -> [KeyReport] { try await get(daemonPath(kind.plural)) }

  public func setKey(_ kind: KeyKind, _ name: String, _ request: KeyRequest) async throws -> KeyReport {
    try await send("PUT", daemonPath(kind.plural, name), request)
  }

  public func renewKey(_ kind: KeyKind, _ name: String) async throws -> KeyReport {
    try await send("POST", daemonPath(kind.plural, name, "key"))
  }

  public func removeKey(_ kind: KeyKind, _ name: String) async throws {
    try await send("DELETE", daemonPath(kind.plural, name))
  }

  public func hookTemplates() async throws -> [String] { try await get("/v1/hook-templates") }
}
