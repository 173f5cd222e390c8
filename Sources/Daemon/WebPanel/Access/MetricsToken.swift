// Programs that read the metrics cannot sign in as users do. They have a token for the metrics and nothing else.

import Crypto
import FoundationEssentials
import HTTP
import Synchronization

/// The token for the metrics at the panel's port, as a digest, so that a stolen copy opens nothing.
public final class MetricsToken: Sendable {
  private let digest = Mutex<Data?>(nil)

  /// - Parameter stored: the digest from `make`, as it was stored; nil for none. An unreadable one counts as none.
  public init(stored: String?) { use(stored: stored) }

  public var isSet: Bool { digest.withLock { $0 != nil } }

  /// Makes a token, which is valid once its digest is stored and given to `use`.
  public static func make() -> (token: String, stored: String) {
    let token = PanelSessions.secret()
    return (token, Data(PanelSessions.digest(token)).base64EncodedString())
  }

  /// Accepts only the token of that digest from now on; with nil, no token.
  public func use(stored: String?) {
    let new = stored.flatMap { Data(base64Encoded: $0) }.flatMap { $0.count == SHA256.byteCount ? $0 : nil }
    digest.withLock { $0 = new }
  }

  /// Returns true if the request has the token. Takes equally long for any guess.
  func isShown(by request: HTTPRequest) -> Bool {
    guard let shown = MetricsToken.shown(by: request), let digest = digest.withLock(\.self) else { return false }
    return PanelSessions.digest(shown) == digest
  }

  static func shown(by request: HTTPRequest) -> String? {
    let fields = request.headers.values(of: "Authorization")
    guard fields.count == 1, let field = fields.first, let space = field.firstIndex(of: " "),
      field[..<space].lowercased() == "bearer"
    else { return nil }
    return String(field[field.index(after: space)...])
  }
}
