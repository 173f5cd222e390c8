// Topics and hooks: named access keys, each of which opens one app.

import HTTP
import HandsetCore

/// The two kinds of access with a key.
public enum KeyedWay: String, Sendable, CaseIterable {
  /// A topic, in the formats of ntfy and Gotify.
  case topic
  /// A hook at `/h/KEY`, in the format of any service.
  case hook

  /// The word for it in paths.
  var plural: String { rawValue + "s" }
}

/// The topics and hooks of the installation.
public protocol AccessKeysBackend: Sendable {
  func keys(_ way: KeyedWay) async throws(ControlError) -> [KeyReport]
  /// Adds one with a new key, or changes what it opens and keeps its key.
  /// - Throws: `ControlError` 404 if the app is not installed, 409 if another provider has the name.
  func setKey(_ way: KeyedWay, _ name: String, _ request: KeyRequest) async throws(ControlError) -> KeyReport
  /// Gives it a new key; the old one is invalid from then on.
  /// - Throws: `ControlError` 404 if there is none with that name.
  func renewKey(_ way: KeyedWay, _ name: String) async throws(ControlError) -> KeyReport
  /// - Throws: `ControlError` 404 if there is none with that name.
  func removeKey(_ way: KeyedWay, _ name: String) async throws(ControlError)
  /// The names of the templates for hooks.
  var templates: [String] { get }
}

/// A topic or a hook.
public struct KeyReport: Codable, Sendable, Equatable {
  public var name: String
  /// The bundle identifier of the app that it opens.
  public var app: String
  /// The name of the handset that it rings; absent for the one on the board.
  public var handset: String?
  /// The template that reads a hook's requests; absent for a topic.
  public var template: String?
  /// The key, only if it was just made: it is not stored.
  public var key: String?
  /// Its address: that of the hook with its key, or of the topic. Absent if the port has no certificate.
  public var url: String?
  /// The pin of the server's key, for clients that do not know its authority; absent if they need none.
  public var pin: String?
  /// The same address without TLS, if there is such a port.
  public var httpURL: String?

  public init(name: String, app: String, handset: String?, template: String?, key: String? = nil) {
    self.name = name
    self.app = app
    self.handset = handset
    self.template = template
    self.key = key
  }
}

/// The app that a topic or a hook opens.
public struct KeyRequest: RequestBody, Sendable {
  public var app: String
  public var handset: String?
  /// The template of a hook; absent for `plain`.
  public var template: String?

  enum CodingKeys: CodingKey, CaseIterable { case app, handset, template }

  public init(app: String, handset: String? = nil, template: String? = nil) {
    self.app = app
    self.handset = handset
    self.template = template
  }
}

enum AccessKeysResource {
  static func routes(_ keys: any AccessKeysBackend) -> [Route] {
    KeyedWay.allCases.flatMap { routes(of: $0, keys) } + [
      .control("GET", "/v1/hook-templates") { _ in try .json(keys.templates) }
    ]
  }

  private static func routes(of way: KeyedWay, _ keys: any AccessKeysBackend) -> [Route] {
    [
      .control("GET", "/v1/\(way.plural)") { _ in try .json(await keys.keys(way)) },
      .control("PUT", "/v1/\(way.plural)/{name}") { request in
        let name = try request.parameter("name")
        guard isProviderName(name) else { throw ControlError.badProviderName(name, for: "a \(way.rawValue)") }
        try PanelProvider.refuse(name)
        let body: KeyRequest = try request.body()
        if way == .topic && body.template != nil {
          throw ControlError(400, "a topic has no template", hint: "deskbell hook add has one")
        }
        return try .json(await keys.setKey(way, name, body))
      },
      .control("POST", "/v1/\(way.plural)/{name}/key") { request in
        try .json(await keys.renewKey(way, request.parameter("name")))
      },
      .control("DELETE", "/v1/\(way.plural)/{name}") { request in
        try await keys.removeKey(way, request.parameter("name"))
        return .noContent
      },
    ]
  }
}
