import HTTPRoutes
import NIOCore

/// One request of HTTP/2 and its answer: what its connection keeps of it.
final class HTTP2Stream {
  let number: UInt32
  var machine: StateMachine
  var head = RequestHead()
  var exchange: (any Exchange)?
  var isHead = false
  var authorization: Task<Void, Never>?
  /// What is left to send of the answer's body.
  var answer: ArraySlice<UInt8> = []
  /// Where the body goes on; nil once it has ended.
  var source: ResponseStream?
  /// For the rest of the request, or for the client to take the answer.
  var deadline: ClientDeadline?
  var isAnswered = false

  init(_ number: UInt32, discardLimit: Int) {
    self.number = number
    machine = StateMachine(discardLimit: discardLimit)
  }

  /// Whether the client has still to end it, or to take its answer.
  var isUnfinished: Bool { machine.isReceiving || !answer.isEmpty }

  var state: HTTP2Connection.StreamState { machine.hasEnded ? .received : isAnswered ? .answered : .receiving }

  /// The stream is gone: a response that comes later is dropped.
  func close() {
    machine.close()
    answer = []
    source?.end()
    source = nil
    authorization?.cancel()
    cancelDeadline()
  }

  func cancelDeadline() {
    deadline?.cancel()
    deadline = nil
  }
}
