import Testing

@testable import Lint

@Suite("Files of recorded requests") struct RecordedRequestsTests {
  private static func line(_ number: Int) -> String {
    #"{"request":\#(number),"connection":1,"protocol":"apns","realMicroseconds":1,"answer":{"status":200}}"#
  }

  @Test(
    "An object with requests, an array, lines, and a single request",
    arguments: [
      (#"{"requests":[\#(line(1)),\#(line(2))]}"#, [1, 2]), ("[\(line(1)),\n\(line(2))]", [1, 2]),
      ("\(line(1))\n\n\(line(2))\n", [1, 2]), (line(3), [3]), (#"{"requests":[]}"#, []), (" \n", []),
    ])
  func forms(text: String, numbers: [Int]) throws {
    #expect(try RecordedRequests.read(Array(text.utf8)).map(\.number) == numbers)
  }

  @Test(
    "What is wrong, and in which line",
    arguments: [
      ("{\"a\":1}", nil, "no key 'request', which a recorded request has"),
      (#"{"requests":[{"request":1}]}"#, nil, "no key 'requests.0.connection', which a recorded request has"),
      ("7", nil, "it is no recorded request"),
      ("\(line(1))\n{\"request\":\"2\"}", 2, "'request' has another form"),
      ("\(line(1))\nx", 2, "expected a value, found 'x'"),
    ] as [(String, Int?, String)])
  func faults(text: String, line: Int?, problem: String) {
    #expect(throws: RecordedRequests.Fault(line: line, problem: problem)) {
      try RecordedRequests.read(Array(text.utf8))
    }
  }

  @Test("Requests are examined in the order of their ends, and those under way are left out")
  func order() {
    // The second request was under way while the first one was refused; the third came later.
    let first = request(1).answered(410, "Unregistered")
    var slow = request(2, at: 1).answered(410, "Unregistered")
    slow.answer?.time.real += second
    let third = request(3, at: 2 * second, payload: #"{"aps":{"badge":1}}"#).answered(410, "Unregistered")
    var underWay = request(4, at: 2 * second)
    underWay.answer = nil
    var linters = Linters()
    let findings = linters.examine([underWay, third, slow, first])
    #expect(findings.map(\.code) == ["L502"] && findings.first?.request == 3)
  }
}
