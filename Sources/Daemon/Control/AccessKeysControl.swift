import ControlAPI
import HTTP
import HandsetCore
import Host
import PushPort
import StrictYAML

/// Topics and hooks in the control API. They are providers with access keys.
struct AccessKeysControl: AccessKeysBackend {
  /// The addresses for their clients.
  struct Ports: Sendable {
    var push: String
    var http: String?
  }

  let providers: ProvidersControl
  let handsets: Handsets
  let host: Host
  let certificates: CertificatesControl
  let templates: [String]
  let ports: Ports

  func keys(_ way: KeyedWay) async throws(ControlError) -> [KeyReport] {
    let reports = try await providers.stored().compactMap { KeyReport($0, way) }
    let certificate = try? await certificates.certificate()
    return reports.map { addressed($0, way, certificate) }.sorted { $0.name < $1.name }
  }

  func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws(ControlError) -> KeyReport {
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

  func renewKey(_ way: KeyedWay, _ name: String) async throws(ControlError) -> KeyReport {
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

  func removeKey(_ way: KeyedWay, _ name: String) async throws(ControlError) {
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
