import Crypto
import HTTP
import HandsetCore
import ServerIdentity

/// A server that sends pushes for one or more apps, and its credential.
public struct Provider: Hashable, Sendable, Codable {
  // The stored names, which never change.
  private enum CodingKeys: String, CodingKey {
    case name, credential
    case topics = "apps"
  }

  public var name: String
  public var topics: Set<AppID>
  public var credential: Credential
  /// True if it may push to any app: only a bench has such providers, and none is stored.
  var isForAnyApp = false

  public enum Credential: Hashable, Sendable, Codable {
    private enum PasswordCodingKeys: String, CodingKey { case _0 = "hash" }
    private enum CertificateCodingKeys: String, CodingKey { case _0 = "pem" }
    private enum TopicCodingKeys: String, CodingKey { case _0 = "opens" }
    private enum HookCodingKeys: String, CodingKey {
      case _0 = "opens"
      case template
    }

    /// A token signed with ES256 [APNs, "Establishing a token-based connection"]: `iss`, `kid`, and the key to check
    /// the signature with.
    case token(teamID: String, keyID: String, publicKey: ProviderKey, environment: CredentialEnvironment)
    /// A password, with any of the apps as user name [2008].
    case password(PasswordHash)
    /// A client certificate of its TLS connections [APNs, "Establishing a certificate-based connection"].
    case certificate(ProviderCertificate)
    /// An access key for messages to a topic by ntfy's or Gotify's API; the provider has the topic's name.
    case topic(KeyedApp)
    /// An access key for a service's messages, which a template reads.
    case hook(KeyedApp, template: String)
  }

  /// - Parameter topics: the apps it may push to. With a certificate they must be among the apps that it has topics of;
  ///   none stands for all of these.
  /// - Throws: `ProviderError` if the team or the key id is not 10 letters and digits, the certificate has no topic of
  ///   one of the apps, or there is no app.
  public init(name: String, topics: some Sequence<AppID>, credential: Credential) throws {
    self.name = name
    self.topics = Set(topics)
    self.credential = credential
    switch credential {
    case .token(let teamID, let keyID, _, _):
      guard Provider.isIdentifier(teamID) else { throw ProviderError.badTeamID(teamID) }
      guard Provider.isIdentifier(keyID) else { throw ProviderError.badKeyID(keyID) }
    case .password: break
    case .topic:
      guard NtfyRequest.isTopic(name) else { throw ProviderError.badTopicName(name) }
      guard self.topics.count == 1 else { throw ProviderError.notOneApp(name) }
    case .hook: guard self.topics.count == 1 else { throw ProviderError.notOneApp(name) }
    case .certificate(let certificate):
      let known = certificate.topics.compactMap { PushType.app(ofTopic: $0)?.app }
      for app in self.topics where !known.contains(app) && !certificate.topics.contains(app.text) {
        throw ProviderError.appNotInCertificate(app, topics: certificate.topics)
      }
      if self.topics.isEmpty { self.topics = Set(known) }
      guard !self.topics.isEmpty else { throw ProviderError.noTopics }
    }
    guard !self.topics.isEmpty else { throw ProviderError.noApps(name) }
  }

  /// Makes a provider of a bench, which may push to any app.
  /// - Throws: `ProviderError` if the team or the key id is not 10 letters and digits.
  init(anyAppOf name: String, credential: Credential) throws {
    if case .token(let teamID, let keyID, _, _) = credential {
      guard Provider.isIdentifier(teamID) else { throw ProviderError.badTeamID(teamID) }
      guard Provider.isIdentifier(keyID) else { throw ProviderError.badKeyID(keyID) }
    }
    (self.name, topics, self.credential, isForAnyApp) = (name, [], credential, true)
  }

  func mayPush(to app: AppID) -> Bool { isForAnyApp || topics.contains(app) }

  /// The key that checks the signatures of its tokens; nil if it has none.
  var signingKey: ProviderKey? {
    guard case .token(_, _, let key, _) = credential else { return nil }
    return key
  }

  /// The topic of a request that names none [APNs, `apns-topic`: a certificate with a single topic supplies it].
  var defaultTopic: String? {
    guard case .certificate(let certificate) = credential, certificate.topics.count == 1 else { return nil }
    return certificate.topics.first
  }

  public func covers(_ environment: PushEnvironment) -> Bool {
    switch credential {
    case .token(_, _, _, let covered): covered.covers(environment)
    case .certificate(let certificate): certificate.environment.covers(environment)
    case .password, .topic, .hook: true
    }
  }

  /// Returns true if its credential allows the topic. The app is checked separately.
  func mayName(_ topic: String) -> Bool {
    switch credential {
    case .token, .password, .topic, .hook: true
    case .certificate(let certificate): certificate.topics.contains(topic)
    }
  }

  /// Returns the app whose identifier is the topic, in UTF-8, if its credential allows that; nil if the topic is
  /// another one, or the apps are so many that a hash finds one sooner.
  func app(ofTopic topic: ArraySlice<UInt8>) -> AppID? {
    guard topics.count <= 8 else { return nil }
    return topic.withUnsafeBytes { topic in
      for app in topics where topic.has(text: app.text) { return mayName(app.text) ? app : nil }
      return nil
    }
  }

  /// Returns true if `text` has the form of Apple's team and key ids.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 10 && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
  }
}

/// The public half of an ES256 key: all that is needed to check a provider's tokens, and all that is kept.
public struct ProviderKey: Hashable, Codable, Sendable {
  let key: P256.Signing.PublicKey

  /// Reads a PEM file's text: a private key (PKCS #8, as in Apple's `.p8` files, or SEC 1) or a public key.
  ///
  /// - Throws: `KeyFileError`, with the kind of text found instead.
  public init(pem: String) throws { key = try KeyFileContent(pem.utf8).key().publicKey }

  init(_ key: P256.Signing.PublicKey) {
    self.key = key
  }

  public var pem: String { key.pemRepresentation }

  public init(from decoder: any Decoder) throws { try self.init(pem: String(from: decoder)) }
  public func encode(to encoder: any Encoder) throws { try pem.encode(to: encoder) }

  public static func == (left: ProviderKey, right: ProviderKey) -> Bool {
    left.key.x963Representation == right.key.x963Representation
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(key.x963Representation)
  }
}

/// The reason why a provider cannot be added. Never holds the content of a key file.
public enum ProviderError: Error, Hashable, CustomStringConvertible {
  case badTeamID(String)
  case badKeyID(String)
  case noApps(String)
  case badTopicName(String)
  case notOneApp(String)
  case sameKey(first: String, second: String, teamID: String, keyID: String)
  case sameUser(first: String, second: String, AppID)
  case badCertificate
  case badTopicsExtension
  case noTopics
  case appNotInCertificate(AppID, topics: [String])
  case sameCertificate(first: String, second: String)

  public var description: String {
    switch self {
    case .badTeamID(let text):
      "team id \(quoted(text)): expected 10 letters and digits, as the developer account shows it under Membership"
    case .badKeyID(let text):
      "key id \(quoted(text)): expected 10 letters and digits, as in the name of the key's file, AuthKey_XXXXXXXXXX.p8"
    case .noApps(let name):
      "provider '\(name)': name at least one app that it may push to"
    case .badTopicName(let name):
      "\(quoted(name)) is no name for a topic: expected 1 to 64 letters, digits, '-' and '_', and none of "
        + NtfyRequest.reserved.sorted().joined(separator: ", ")
    case .notOneApp(let name): "'\(name)': an access key opens one app; name one"
    case .sameKey(let first, let second, let teamID, let keyID):
      "providers '\(first)' and '\(second)' both have team \(teamID) and key \(keyID): remove one, and give its apps to the other"
    case .sameUser(let first, let second, let app):
      "providers '\(first)' and '\(second)' both have a password for \(app), which is the user name: take it out of one"
    case .badCertificate:
      "the certificate cannot be read: it is not X.509 in DER between its PEM lines"
    case .badTopicsExtension:
      "the certificate's topics extension (1.2.840.113635.100.6.3.6) does not have Apple's form: topics, each followed by its kinds"
    case .noTopics:
      "the certificate names no topic: expected the app's bundle identifier as UID of its subject, or Apple's topics extension; one is made with: openssl req -x509 -subj /UID=com.example.app"
    case .appNotInCertificate(let app, let topics):
      "the certificate has no topic of \(app); its topics: \(topics.prefix(8).map { quoted($0) }.joined(separator: ", "))"
    case .sameCertificate(let first, let second):
      "providers '\(first)' and '\(second)' both have the same certificate: remove one, and give its apps to the other"
    }
  }
}
