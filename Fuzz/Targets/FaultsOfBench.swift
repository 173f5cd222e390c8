// The JSON of a fault of a test bench, as `POST /v1/faults` takes it. An accepted one is added to a table, and strikes
// requests and connections there.

import HTTP
import HandsetCore
import PushPort

@testable import DeskbellDaemon

func runFault(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  guard let target = RequestTarget("/v1/faults") else { return }
  let words: [String: JSONValue]
  do {
    words = try HTTPRequest(method: "POST", target: target, body: bytes).body(FaultRequest.self).words
  } catch {
    return try hold(error is HTTPError, "the body threw \(error), which is a 500")
  }
  let faults: [Fault]
  do throws(FaultError) {
    faults = try Fault.read(words)
  } catch {
    try hold(error.key.isEmpty || FaultWord(rawValue: error.key) != nil, "there is no key '\(error.key)'")
    return try hold(!error.problem.isEmpty && !error.valid.isEmpty, "the error says nothing: \(error)")
  }
  var table = FaultTable()
  for fault in faults {
    try checkWords(of: fault)
    do throws(FaultError) {
      try table.add(fault, now: .zero)
    } catch {
      throw FuzzTarget.Finding(description: "it was read, and cannot be added: \(error)")
    }
  }
  try checkHits(in: &table)
}

/// Checks that the words that a fault keeps make the same one again.
private func checkWords(of fault: Fault) throws(FuzzTarget.Finding) {
  var alone = fault
  alone.preset = nil
  let again: [Fault]
  do throws(FaultError) {
    again = try Fault.read(fault.words)
  } catch {
    throw FuzzTarget.Finding(description: "its own words are refused: \(error)")
  }
  try hold(again == [alone], "\(again) is not \(alone)")
}

/// Lets connections and requests come, one a second, every other one in the scope of the first fault.
private func checkHits(in table: inout FaultTable) throws(FuzzTarget.Finding) {
  guard let scope = table.entries.first?.fault.scope else { return }
  for number in 1...40 {
    let now = Duration.seconds(number)
    let isInScope = number.isMultiple(of: 2)
    let connection = RecordedConnection(number: (isInScope ? scope.connection : nil) ?? number, address: nil)
    var request = RecordedRequest(
      connection: connection.number, stream: number.isMultiple(of: 3) ? nil : UInt32(2 * number - 1),
      frontEnd: ["apns", "2008", "ntfy", "gotify", "hook"][number % 5], method: "POST", path: "/", headers: [])
    if isInScope {
      (request.app, request.provider) = (scope.app, scope.provider)
      (request.token, request.handset) = (scope.token, scope.handset)
    }
    try check(table.fault(atAcceptOf: connection, now: now), of: nil, in: table, now: now)
    try check(table.fault(atBeginningOf: connection, now: now), of: nil, in: table, now: now)
    for point in BenchPoint.allCases {
      try check(table.fault(at: point, of: request, now: now), of: request, in: table, now: now)
    }
  }
  for entry in table.entries { try check(entry) }
}

/// Checks that a fault that struck may strike that request then, and that its actions can be done.
private func check(
  _ struck: BenchFault?, of request: RecordedRequest?, in table: FaultTable, now: Duration
) throws(FuzzTarget.Finding) {
  guard let struck else { return }
  try hold(struck.names.last == struck.name, "\(struck.names) do not end in \(struck.name)")
  for name in struck.names {
    guard let entry = table.entries.first(where: { $0.fault.name == name }) else {
      throw FuzzTarget.Finding(description: "there is no fault '\(name)'")
    }
    let scope = entry.fault.scope
    if let end = entry.endsAt { try hold(now < end, "\(name) has ended") }
    try hold(scope.app == nil || scope.app == request?.app, "\(name) is not for this app")
    try hold(scope.provider == nil || scope.provider == request?.provider, "\(name) is not for this provider")
    try hold(scope.token == nil || scope.token == request?.token, "\(name) is not for this device token")
    try hold(scope.handset == nil || scope.handset == request?.handset, "\(name) is not for this handset")
  }
  for action in struck.actions {
    switch action {
    case .answer(let status, let headers, _):
      try hold((200...599).contains(status), "it answers \(status)")
      for header in headers {
        try hold(header.value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "it sends \(header)")
      }
    case .wait(let time): try hold(time >= .zero && time <= .seconds(86_400), "it waits \(time)")
    case .goAway(let last, _, _): try hold((last ?? 0) < 1 << 31, "GOAWAY names \(last ?? 0)")
    case .settings(let streams, let window):
      try hold((streams ?? 0) >= 0 && (0...0x7FFF_FFFF).contains(window ?? 0), "it sends \(action)")
    case .silence, .reset, .cut, .cutAnswer, .certificate: break
    }
  }
}

/// Checks the counts of a fault.
private func check(_ entry: FaultTable.Entry) throws(FuzzTarget.Finding) {
  let fault = entry.fault
  try hold(entry.hits <= entry.seen, "\(entry.hits) hits of \(entry.seen)")
  if let count = fault.end.count { try hold(entry.hits <= count, "\(entry.hits) hits, and it ends after \(count)") }
  switch fault.which {
  case .all: try hold(entry.hits == entry.seen, "\(entry.hits) hits of \(entry.seen)")
  case .range(let range): try hold(entry.hits <= range.count, "\(entry.hits) hits in \(range)")
  case .every(let number):
    try hold(entry.hits == entry.seen / number, "\(entry.hits) hits of \(entry.seen), every \(number)")
  case .share(let share, _):
    try hold(share > 0 || entry.hits == 0, "a share of 0 has \(entry.hits) hits")
    try hold(share < 1 || entry.hits == entry.seen, "a share of 1 has \(entry.hits) hits of \(entry.seen)")
  case .perToken(let limit, let time):
    try hold(limit > 0 && time > .zero, "\(limit) requests of a token in \(time)")
    try hold(entry.hits == 0 || entry.hits <= entry.seen - limit, "\(entry.hits) hits of \(entry.seen) beyond \(limit)")
  case .refusals: break
  }
}
