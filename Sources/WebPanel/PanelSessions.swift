// Who is signed in. A token that the control socket hands out is exchanged, once, for a session: a cookie that no script
// can read, and a key that no other origin can send. Browsers give cookies to every port of a host, so the cookie alone
// opens nothing: a server on another port of this machine gets to see it, and never the key.

import Crypto
import FoundationEssentials
import Synchronization

/// Tokens and sessions, as digests: what is in memory opens nothing, and a comparison takes as long for any guess.
public final class PanelSessions: Sendable {
  /// What a browser keeps.
  struct Session: Sendable {
    var cookie: String
    var key: String

    /// Both as one secret: neither field of a request can contain a line feed.
    var text: String { "\(cookie)\n\(key)" }
  }

  private struct Secret {
    var digest: SHA256.Digest
    var ends: Duration
  }

  private struct State {
    /// Oldest first.
    var tokens: [Secret] = []
    var sessions: [Secret] = []
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Duration

  /// - Parameter now: a monotonic clock.
  public init(now: @escaping @Sendable () -> Duration) {
    self.now = now
  }

  /// A token that signs one browser in, within `PanelLimits.tokenLifetime`.
  public func makeToken() -> String {
    let token = PanelSessions.secret()
    state.withLock { add(token, to: &$0.tokens, for: PanelLimits.tokenLifetime, limit: PanelLimits.tokens) }
    return token
  }

  /// Ends every session, and makes every token void: the password is another.
  public func endAll() {
    state.withLock { $0 = State() }
  }

  /// Uses the token up; false where there is none such.
  func redeem(_ token: String) -> Bool {
    let (digest, now) = (PanelSessions.digest(token), now())
    return state.withLock { state in
      state.tokens.removeAll { $0.ends <= now }
      guard let place = state.tokens.firstIndex(where: { $0.digest == digest }) else { return false }
      state.tokens.remove(at: place)
      return true
    }
  }

  func open() -> Session {
    let session = Session(cookie: PanelSessions.secret(), key: PanelSessions.secret())
    state.withLock {
      add(session.text, to: &$0.sessions, for: PanelLimits.sessionLifetime, limit: PanelLimits.sessions)
    }
    return session
  }

  func isOpen(_ session: Session) -> Bool {
    let (digest, now) = (PanelSessions.digest(session.text), now())
    return state.withLock { $0.sessions.contains { $0.ends > now && $0.digest == digest } }
  }

  func end(_ session: Session) {
    let digest = PanelSessions.digest(session.text)
    state.withLock { $0.sessions.removeAll { $0.digest == digest } }
  }

  private func add(_ text: String, to secrets: inout [Secret], for lifetime: Duration, limit: Int) {
    let now = now()
    secrets.removeAll { $0.ends <= now }
    if secrets.count >= limit { secrets.removeFirst() }
    secrets.append(Secret(digest: PanelSessions.digest(text), ends: now + lifetime))
  }

  private static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }

  /// 256 random bits in the alphabet of URLs [RFC 4648, 5].
  private static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let text = Data(bytes).base64EncodedString()
    return String(
      text.compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      } as [Character])
  }
}
