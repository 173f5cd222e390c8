import HandsetCore
import Host
import WebCalls

/// The sink for queued calls, which passes them to the caller.
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
