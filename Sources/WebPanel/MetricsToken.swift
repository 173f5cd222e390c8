// A program that reads the metrics cannot sign in as a person does. It has a token, which opens them and nothing else.

import Crypto
import FoundationEssentials
import HTTPRoutes
import Synchronization

/// The token for the metrics at the panel's port, as a digest: what is in memory or stored opens nothing.
public final class MetricsToken: Sendable {
  /// A SHA-256; nil where there is no token.
  private let digest: Mutex<Data?>

  /// - Parameter stored: what `make` or `use` was given to store; nil where nothing was. What cannot be read is no token.
  public init(stored: String?) {
    digest = Mutex(MetricsToken.digest(stored: stored))
  }

  public var isSet: Bool { digest.withLock { $0 != nil } }

  /// A new token, which counts once its digest is stored and given to `use`.
  public static func make() -> (token: String, stored: String) {
    let token = PanelSessions.secret()
    return (token, Data(PanelSessions.digest(token)).base64EncodedString())
  }

  /// The token with that digest counts from now on, and none with nil.
  public func use(stored: String?) {
    digest.withLock { $0 = MetricsToken.digest(stored: stored) }
  }

  /// Whether the request has the token. Takes as long for any guess.
  func isShown(by request: HTTPRequest) -> Bool {
    guard let shown = MetricsToken.shown(by: request), let digest = digest.withLock(\.self) else { return false }
    return PanelSessions.digest(shown) == digest
  }

  /// Nil where the request has none, or several.
  static func shown(by request: HTTPRequest) -> String? {
    let fields = request.headers.values(of: "Authorization")
    guard fields.count == 1, let field = fields.first, let space = field.firstIndex(of: " "),
      field[..<space].lowercased() == "bearer"
    else { return nil }
    return String(field[field.index(after: space)...])
  }

  private static func digest(stored: String?) -> Data? {
    stored.flatMap { Data(base64Encoded: $0) }.flatMap { $0.count == SHA256.byteCount ? $0 : nil }
  }
}
