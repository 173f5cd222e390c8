import HandsetCore
import Host

/// The sink that makes the tokens that a handset asks for. A handset asks again at the next start for a token whose
/// input could not be stored.
struct TokenMint: CommitSink {
  let queue: InputQueue

  func publish(_ batch: CommittedBatch) {
    for item in batch.concernsApps ? batch.turns : [] {
      for case .mint(let purpose, let app) in item.turn.effects {
        queue.submit(.mintedToken(app, purpose, .random()), to: .handset(item.handset)) { _ in }
      }
    }
  }
}
