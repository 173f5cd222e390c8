// Recorded inputs, replayed with any contents and any times.

import InputRecording

func runRecordedInputs(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  // FoundationEssentials leaks 4 KB with each empty file that it reads; the others are read once.
  guard !bytes.isEmpty else { return }
  let path = try ReusedFile.holding(bytes)
  var previous: String?
  _ = try? Replay(of: path).run { previous = $1 }
  if let previous { try hold(!previous.contains("\n"), "an event of two lines") }
}
