// The users who are signed in. A token from the control socket is exchanged, once, for a session: a cookie that no
// script can read, and a key that no other origin can send. Browsers send cookies to every port of a host, so the
// cookie alone opens nothing: a server on another port of this machine sees it, but never the key.

import Crypto
import FoundationEssentials
import HTTP
import Synchronization

/// Tokens and sessions, as digests, so that a stolen copy opens nothing, and a comparison takes equally long for any
/// guess. A session's end is fixed when it begins, so requests change nothing that is stored.
public final class PanelSessions: Sendable {
  struct Session: Sendable {
    var cookie: String
    var key: String

    /// The cookie and the key as one secret: neither field of a request can contain a line feed.
    var text: String { "\(cookie)\n\(key)" }
  }

  private struct Secret: Codable {
    private enum CodingKeys: String, CodingKey {
      case digest
      case endsWall = "ends"
    }

    var digest: Data
    var ends = Duration.zero
    /// The same moment on the wall clock, in seconds since 1970, which alone is stored.
    var endsWall: Int64
  }

  private struct State {
    /// The tokens, oldest first.
    var tokens: [Secret] = []
    var sessions: [Secret] = []
    var generation = 0
  }

  private let state = Mutex(State())
  /// A monotonic clock.
  let now: @Sendable () -> Duration
  private let wall: @Sendable () -> Int64

  /// - Parameters:
  ///   - stored: the value of `stored` before the daemon started; nil for none. An unreadable one counts as none.
  ///   - wall: the system's clock, in seconds since 1970. It counts only between two starts of the daemon.
  public init(
    stored text: String? = nil, now: @escaping @Sendable () -> Duration,
    wall: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }
  ) {
    (self.now, self.wall) = (now, wall)
    let sessions = text.flatMap { try? JSONDecoder().decode([Secret].self, from: Data($0.utf8)) } ?? []
    let (start, startWall, longest) = (now(), wall(), PanelLimits.sessionLifetime.components.seconds)
    for var session in sessions.suffix(PanelLimits.sessions) where session.digest.count == SHA256.byteCount {
      let (left, overflow) = session.endsWall.subtractingReportingOverflow(startWall)
      // A clock that was set back does not lengthen a session's life.
      guard !overflow, left > 0 else { continue }
      session.ends = start + .seconds(min(left, longest))
      state.withLock { [session] in $0.sessions.append(session) }
    }
  }

  /// The sessions as text to be stored; nil if there are none.
  public var stored: String? {
    let now = now()
    let open = state.withLock { $0.sessions.filter { $0.ends > now } }
    guard !open.isEmpty else { return nil }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(open)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Makes a token that signs one browser in, within `PanelLimits.tokenLifetime`.
  public func makeToken() -> String {
    let token = PanelSessions.secret()
    state.withLock { add(token, to: &$0.tokens, for: PanelLimits.tokenLifetime, limit: PanelLimits.tokens) }
    return token
  }

  /// Ends every session, and invalidates every token, because the password has changed.
  public func endAll() {
    state.withLock { $0 = State(generation: $0.generation + 1) }
  }

  /// The generation, to be read before a password is checked, which takes a while.
  var generation: Int { state.withLock { $0.generation } }

  /// Uses the token up; returns false if there is no such token.
  func redeem(_ token: String) -> Bool {
    let (digest, now) = (PanelSessions.digest(token), now())
    return state.withLock { state in
      state.tokens.removeAll { $0.ends <= now }
      guard let place = state.tokens.firstIndex(where: { digest == $0.digest }) else { return false }
      state.tokens.remove(at: place)
      return true
    }
  }

  /// - Returns: nil if all sessions were ended since that generation: the checked password is no longer valid.
  func open(in generation: Int) -> Session? {
    let session = Session(cookie: PanelSessions.secret(), key: PanelSessions.secret())
    return state.withLock { state in
      guard state.generation == generation else { return nil }
      add(session.text, to: &state.sessions, for: PanelLimits.sessionLifetime, limit: PanelLimits.sessions)
      return session
    }
  }

  func isOpen(_ session: Session) -> Bool {
    let (digest, now) = (PanelSessions.digest(session.text), now())
    return state.withLock { $0.sessions.contains { $0.ends > now && digest == $0.digest } }
  }

  func end(_ session: Session) -> Bool {
    let digest = PanelSessions.digest(session.text)
    return state.withLock { state in
      let count = state.sessions.count
      state.sessions.removeAll { digest == $0.digest }
      return state.sessions.count < count
    }
  }

  private func add(_ text: String, to secrets: inout [Secret], for lifetime: Duration, limit: Int) {
    let now = now()
    secrets.removeAll { $0.ends <= now }
    if secrets.count >= limit { secrets.removeFirst() }
    secrets.append(
      Secret(
        digest: Data(PanelSessions.digest(text)), ends: now + lifetime, endsWall: wall() + lifetime.components.seconds))
  }

  static func digest(_ text: String) -> SHA256.Digest { SHA256.hash(data: Data(text.utf8)) }

  /// Makes 256 random bits in the alphabet of URLs [RFC 4648, 5].
  static func secret() -> String {
    var generator = SystemRandomNumberGenerator()
    return base64URL(Data((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
  }
}
