import HandsetCore
import Host
import WebCalls

struct WebCallSink: CommitSink {
  let caller: WebCaller

  func publish(_ batch: CommittedBatch) {
    for index in batch.turns.indices {
      let handset = batch.turns[index].handset
      for case .call(let before, let after) in batch.turns[index].turn.changes {
        if let after {
          caller.add(after, of: handset)
        } else if let before {
          caller.remove(before, of: handset)
        }
      }
    }
  }
}
