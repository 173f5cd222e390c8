import HandsetCore

/// The recorder of refused requests.
public protocol RefusalRecorder: Sendable {
  /// Records that a request was refused before it became a push. Never blocks, and limits its records. Refusals that
  /// any client can cause without end arrive summed up. `PushReceiver.receive` does not report its own refusals here.
  func note(_ refusal: RefusedPush)
}

/// The receiver of pushes, on behalf of the handset.
public protocol PushReceiver: RefusalRecorder {
  /// Receives a push. Never blocks: it is called on an event loop.
  ///
  /// - Parameter completion: must be called exactly once, on any thread, when the push is stored or will never be. The
  ///   provider is answered only then.
  func receive(_ push: Push, completion: @escaping @Sendable (Input.Outcome) -> Void)
}
