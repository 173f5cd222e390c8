import HandsetCore

/// Keeps account of refused requests.
public protocol RefusalRecorder: Sendable {
  /// Records that a request was refused before it became a push. Never blocks, and bounds what it keeps. Refusals that
  /// anyone can cause without end arrive summed up. What `PushReceiver.receive` refuses itself is not reported here.
  func note(_ refusal: RefusedPush)
}

/// Accepts pushes on behalf of the handset.
public protocol PushReceiver: RefusalRecorder {
  /// Takes a push. Never blocks: it is called on an event loop.
  ///
  /// - Parameter completion: to be called exactly once, on any thread, when the push is stored, or will never be.
  ///   The provider is answered then and not before.
  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void)
}
