import HandsetCore
import WebCalls

/// Passes the queued calls to the caller that makes them.
struct WebCallSink: CommitSink {
  let caller: WebCaller

  func publish(_ batch: CommittedBatch) {
    for item in batch.turns {
      for case .call(let before, let after) in item.turn.changes {
        if let after {
          caller.add(after, of: item.handset)
        } else if let before {
          caller.remove(.init(handset: item.handset, number: before.number))
        }
      }
    }
  }
}
