import ControlAPI
import HandsetCore
import HandsetStore

/// One handset of the host, for the control API.
struct HandsetAccess: Sendable {
  let host: Host
  let queue: InputQueue
  let identity: HandsetIdentity

  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` 503 where it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    switch await queue.submit(input, to: identity.id) {
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    case .stored(let verdict): return verdict
    }
  }

  /// Reads the handset, its store and the moment together.
  /// - Throws: the `ControlError` that `body` throws, else 503.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (Handset, HandsetStore, HandsetID, Moment) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try await host.read(identity.id, body)
    } catch {
      throw ControlError(failure: error)
    }
  }
}

extension Host {
  /// Changes what the store holds beside the handsets.
  /// - Throws: the `ControlError` that `body` throws, else 503.
  func change<Answer: Sendable>(
    _ body: @escaping @Sendable (HandsetStore) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try write(body)
    } catch {
      throw ControlError(failure: error)
    }
  }
}

extension ControlError {
  /// 503, unless it is one already.
  init(failure: any Error) {
    self = failure as? ControlError ?? ControlError(503, "\(failure)")
  }
}
