// Tests of one request on a stream, from its head to its response, without a socket and for any protocol.

import Testing

@testable import PushPort

private typealias Machine = HTTP2Stream.StateMachine

extension HTTP2Stream.StateMachine {
  fileprivate mutating func accept(
    _ limit: Int = 4_096, authorization: Bool = false, continues: Bool = false
  ) -> Action {
    accept(bodyLimit: limit, needsAuthorization: authorization, continues: continues)
  }

  fileprivate mutating func body(_ text: String, end: Bool = true) -> Action {
    let action = receiveBody(text.utf8)
    return end ? receiveEnd() : action
  }
}

extension HTTP2Stream.StateMachine.Action {
  /// The status of a refusal; nil for any other action.
  fileprivate var status: Int? { if case .refuse(let error) = self { error.status } else { nil } }
}

@Suite("A request on a stream")
struct RequestStreamTests {
  private var machine = Machine(discardLimit: 65_536)

  @Test("A head, a body in pieces, a response")
  mutating func whole() {
    #expect(machine.isWaitingForHead)
    #expect(machine.accept() == .nothing)
    #expect(!machine.isWaitingForHead && machine.isReceiving)
    #expect(machine.body("one", end: false) == .nothing)
    #expect(machine.body("two") == .submit(Array("onetwo".utf8)))
    #expect(!machine.isReceiving)
    #expect(machine.receiveTimeout() == .nothing)
    let isSent = [machine.receiveResponse(), machine.receiveResponse()]
    #expect(isSent == [true, false])
  }

  @Test("A request without a body is submitted at its head")
  mutating func empty() {
    #expect(machine.receiveEnd() == .nothing)
    #expect(machine.accept(continues: true) == .submit([]))
  }

  @Test("A body of the limit is accepted; one byte more is refused as soon as it is there, without its rest")
  mutating func size() {
    var exact = machine
    _ = exact.accept()
    let full = String(repeating: "x", count: 4_096)
    #expect(exact.body(full) == .submit(Array(full.utf8)))
    _ = machine.accept()
    #expect(machine.body(String(repeating: "x", count: 4_000), end: false) == .nothing)
    #expect(machine.body(String(repeating: "x", count: 97), end: false).status == 413)
    #expect(!machine.isCollecting)
    #expect(machine.body(String(repeating: "x", count: 65_536), end: false) == .nothing)
    #expect(machine.body("x", end: false) == .reset)
    #expect(machine.body("x") == .nothing)
  }

  @Test("A body that does not end in time: 408 before the response, a reset after it")
  mutating func timeouts() {
    _ = machine.accept()
    #expect(machine.receiveTimeout().status == 408)
    #expect(machine.receiveTimeout() == .reset)
    #expect(machine.receiveTimeout() == .nothing)
  }

  @Test("The body of a request that is refused by its head is discarded")
  mutating func refused() {
    var whole = machine
    _ = whole.receiveEnd()
    whole.refuse()
    #expect(!whole.isReceiving)
    machine.refuse()
    #expect(machine.isReceiving && !machine.isCollecting)
    #expect(machine.body("x") == .nothing)
    #expect(!machine.isReceiving)
  }

  @Test("A response for a stream that is gone is dropped")
  mutating func gone() {
    _ = machine.accept()
    #expect(machine.body("x") == .submit([UInt8(ascii: "x")]))
    machine.close()
    let isSent = machine.receiveResponse()
    #expect(!isSent)
  }

  @Test("100 Continue is sent for a body that is awaited, and not before its request is authorized")
  mutating func expectation() {
    var plain = machine
    #expect(plain.accept(continues: true) == .sendContinue)
    _ = machine.accept(authorization: true, continues: true)
    #expect(!machine.isReceiving)
    #expect(machine.authorized() == .sendContinue)
    #expect(machine.body("x") == .submit([UInt8(ascii: "x")]))
  }

  @Test("Bytes that arrive during the authorization are kept up to the limit, and discarded above it")
  mutating func authorization() {
    machine = Machine(discardLimit: 4)
    var whole = machine
    _ = whole.accept(3, authorization: true)
    #expect(whole.body("ab", end: false) == .nothing)
    #expect(whole.body("c") == .nothing)
    #expect(whole.authorized() == .submit(Array("abc".utf8)))
    var large = machine
    _ = large.accept(3, authorization: true)
    #expect(large.body("abcd", end: false) == .nothing)
    var endless = large
    #expect(endless.body("e", end: false) == .reset)
    #expect(endless.authorized() == .nothing)
    #expect(large.authorized().status == 413)
    var denied = machine
    _ = denied.accept(3, authorization: true)
    denied.refuse()
    #expect(denied.isReceiving && !denied.isCollecting)
    var gone = machine
    _ = gone.accept(3, authorization: true)
    gone.close()
    #expect(gone.authorized() == .nothing)
  }
}

@Suite("The detection of the version of HTTP")
struct ProtocolDetectorTests {
  @Test("The version is decided by the first bytes that differ")
  func preface() {
    let preface = ProtocolDetector.preface
    #expect(ProtocolDetector.find(in: []) == nil)
    #expect(ProtocolDetector.find(in: preface.prefix(23)) == nil)
    #expect(ProtocolDetector.find(in: preface) == .http2)
    #expect(ProtocolDetector.find(in: preface + [0, 0]) == .http2)
    #expect(ProtocolDetector.find(in: Array("P".utf8)) == nil)
    #expect(ProtocolDetector.find(in: Array("PU".utf8)) == .http1)
    #expect(ProtocolDetector.find(in: Array("GET / HTTP/1.1".utf8)) == .http1)
  }
}
