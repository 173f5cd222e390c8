// Apple runs the push service twice, for apps in development and for released ones, with credentials that are good for
// one of them or for both. The appliance plays one of the two at a time.

/// Which of the two services a port plays [APNs, "Establishing a connection"].
public enum PushEnvironment: String, Sendable, CaseIterable {
  /// What `api.sandbox.push.apple.com` is.
  case development
  /// What `api.push.apple.com` is.
  case production
}

/// Which of the two services a credential is good for.
public enum CredentialEnvironment: String, Sendable, CaseIterable, Codable {
  case development, production, both

  func covers(_ environment: PushEnvironment) -> Bool {
    self == .both || rawValue == environment.rawValue
  }
}
