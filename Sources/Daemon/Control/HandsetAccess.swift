import ControlAPI
import HandsetCore
import HandsetStore
import Host

/// One handset of the host, for the control API.
struct HandsetAccess: Sendable {
  let host: Host
  let queue: InputQueue
  let identity: HandsetIdentity

  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` 503 if it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    switch await queue.submit(input, to: identity.id) {
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    case .stored(let verdict): return verdict
    }
  }

  /// Reads the handset, its store and the moment together.
  /// - Throws: the `ControlError` that `body` throws; 503 for other errors.
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
  /// Changes the parts of the store that do not belong to handsets.
  /// - Throws: the `ControlError` that `body` throws; 503 for other errors.
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
  /// Makes a 503, unless the error is a `ControlError` already.
  init(failure: any Error) {
    self = failure as? ControlError ?? ControlError(503, "\(failure)")
  }
}
