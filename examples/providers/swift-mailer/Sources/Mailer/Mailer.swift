import Foundation

/// A small push provider for a mail service: the program under test of the example.
///
/// It sends one push after the other. A push without an answer, or with one that says it may pass later, is sent again
/// with the same `apns-id`, at most five times in all. A device token that Apple calls gone is forgotten.
public actor Mailer {
  private static let attempts = 5

  private let service: PushService
  private let pause: @Sendable (Duration) async throws -> Void
  /// The device tokens that mail is announced to.
  public private(set) var tokens: Set<String>

  /// - Parameter pause: waits before a push is sent again. A test may advance a clock instead.
  public init(
    _ service: PushService, tokens: Set<String>,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    (self.service, self.tokens, self.pause) = (service, tokens, pause)
  }

  /// Announces a letter on each device.
  ///
  /// - Throws: `MailerError` if a device does not get it.
  public func send(_ text: String) async throws {
    for token in tokens.sorted() { try await send(text, to: token) }
  }

  private func send(_ text: String, to token: String) async throws {
    let payload = try JSONEncoder().encode(["aps": Alert(alert: text, badge: 1, sound: "default")])
    let id = UUID().uuidString.lowercased()
    var wait: Duration = .seconds(2)
    for attempt in 1...Self.attempts {
      let answer = try await service.post(payload, id: id, to: token)
      switch answer?.status {
      case 200: return
      case 410:
        tokens.remove(token)
        return
      case nil, 429, 500, 503:
        guard attempt < Self.attempts else { break }
        // Longer each time, and never shorter than what the service asks for.
        try await pause(max(wait, answer?.retryAfter ?? .zero))
        wait *= 2
      case let status?: throw MailerError("\(id): \(status) \(answer?.reason ?? "")")
      }
    }
    throw MailerError("\(id): given up after \(Self.attempts) attempts")
  }

  private struct Alert: Encodable {
    var alert: String
    var badge: Int
    var sound: String
  }
}

public struct MailerError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}
