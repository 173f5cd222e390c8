// A sink in one file: a line of text for each batch that changed what a handset shows.

import HandsetCore
import Host
import Synchronization

final class ToySink: CommitSink {
  let lines = Mutex<[String]>([])

  func publish(_ batch: CommittedBatch) {
    for (handset, presentation) in batch.presentations {
      var sounds = 0
      batch.forEachEffect(of: handset) { if case .play = $0 { sounds += 1 } }
      lines.withLock { $0.append("handset \(handset): badge \(presentation.badge), \(sounds) sounds") }
    }
  }
}
