// Apple runs the push service twice, for apps in development and for released ones, with credentials that are valid for
// one of them or for both. The appliance plays one of the two at a time.

/// The service that a port plays, one of the two [APNs, "Establishing a connection"].
public enum PushEnvironment: String, Sendable, CaseIterable {
  /// The service at `api.sandbox.push.apple.com`.
  case development
  /// The service at `api.push.apple.com`.
  case production
}

public enum CredentialEnvironment: String, Sendable, CaseIterable, Codable {
  case development, production, both

  func covers(_ environment: PushEnvironment) -> Bool {
    self == .both || rawValue == environment.rawValue
  }
}
