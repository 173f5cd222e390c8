// A stored record of events, without its checksum bytes, which are added so that the decoder behind them is reached.
// Records that can be read are used to answer requests for events and explanations.

import FoundationEssentials

@testable import DeskbellDaemon
@testable import HandsetCore

func runEventRecord(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  for sequence in [1, UInt64.max] {
    for record in [bytes, EventRecord.closed(bytes, sequence)] {
      guard let events = try? EventRecord.events(in: record, from: sequence) else { continue }
      try checkEvents(events)
    }
  }
}

/// - Parameter events: the events as readers of the journal get them.
func checkEvents(_ events: [EventRecord.RecordedEvent]) throws(FuzzTarget.Finding) {
  let handset = HandsetInUse.begin().handset
  for (report, _) in events {
    let line = report.line
    try hold(!line.utf8.contains(UInt8(ascii: "\n")), "a line of several: \(line)")
    guard let again = try? JSONDecoder().decode(EventReport.self, from: Data(line.utf8)) else {
      throw FuzzTarget.Finding(description: "it is no event: \(line)")
    }
    try hold(again.line == line, "it is read as another: \(line)")
    guard let push = report.push.flatMap({ PushID($0) }) else { continue }
    var explanation = Explanation(of: push)
    for (other, rulings) in events { explanation.read(other, rulings: rulings) }
    try hold(
      explanation.report(handset, at: HandsetInUse.now) != nil, "\(push) has events and no explanation")
  }
}
