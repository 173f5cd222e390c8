// The gateway's way out: it decodes and authenticates, and knows nothing of what becomes of a push.

import HandsetCore

/// What takes pushes in, on behalf of the handset.
public protocol PushReceiver: Sendable {
  /// Takes a push. Never blocks: it is called on an event loop.
  ///
  /// - Parameter completion: to be called exactly once, on any thread, when the push is stored, or will never be.
  ///   The provider is answered then and not before.
  func receive(_ push: Push, completion: @escaping @Sendable (PushOutcome) -> Void)

  /// Records that a request was refused before it became a push. Never blocks, and bounds what it keeps. Refusals that
  /// anybody can cause without end come summed up. What `receive` refuses itself is not reported again.
  func note(_ refusal: RefusedPush)
}

/// What became of a push.
public enum PushOutcome: Hashable, Sendable {
  /// It is stored.
  case accepted
  /// No app of this handset has that token.
  case badDeviceToken
  /// The token is another app's than the topic says.
  case deviceTokenNotForTopic
  /// The token was good until then (rule R4).
  case unregistered(since: WallTime)
  /// The token was good until then; its app has another one now (rule R4).
  case expiredToken(since: WallTime)
  /// It could not be stored, now; the provider should try again.
  case unavailable
  /// It was not taken, for a fault that is ours.
  case failed
}
