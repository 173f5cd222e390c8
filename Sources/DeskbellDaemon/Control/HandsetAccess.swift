// How the conformers of the control API reach one handset: its inputs, and reading it together with its store.

import ControlAPI
import HandsetCore
import HandsetStore

/// One handset of the host, for the control API.
struct HandsetAccess: Sendable {
  let host: Host
  let identity: HandsetIdentity

  /// Applies the input and returns once it is stored.
  /// - Throws: `ControlError` 503 where it could not be stored.
  func submit(_ input: Input) async throws(ControlError) -> Verdict {
    switch await host.submit(input) {
    case .failed(let why):
      throw ControlError(503, "nothing has changed, it could not be stored: \(why)", hint: "try again")
    case .stored(let verdict): return verdict
    }
  }

  /// Reads the handset, its store and the moment together.
  /// - Throws: the `ControlError` that `body` throws, else 503.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (Handset, HandsetStore, HandsetNumber, Moment) throws -> Answer
  ) async throws(ControlError) -> Answer {
    do {
      return try await host.read(body)
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
