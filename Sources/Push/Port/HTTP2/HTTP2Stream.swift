import HTTP
import NIOCore

/// An HTTP/2 request and its answer, as its connection keeps them.
final class HTTP2Stream {
  let number: UInt32
  @exclusivity(unchecked) var machine: StateMachine
  /// The fields that arrived of a head that libnghttp2 does not accept, if another header block followed.
  var malformedHead: RequestHead?
  @exclusivity(unchecked) var exchange: (any HTTPExchange)?
  var isHead = false
  @exclusivity(unchecked) var authorization: Task<Void, Never>?
  @exclusivity(unchecked) var answer: ArraySlice<UInt8> = []
  /// The source of the rest of the body; nil once it has ended.
  @exclusivity(unchecked) var source: ResponseStream?
  /// The deadline for the rest of the request, or for the client to receive the answer.
  @exclusivity(unchecked) var deadline: ClientDeadline?
  var isAnswered = false

  init(_ number: UInt32, discardLimit: Int) {
    self.number = number
    machine = StateMachine(discardLimit: discardLimit)
  }

  /// True if the rest of the request is awaited, or part of the answer is unsent.
  var isUnfinished: Bool { machine.isReceiving || !answer.isEmpty }

  var state: HTTP2Connection.StreamState { machine.hasEnded ? .received : isAnswered ? .answered : .receiving }

  func close() {
    machine.close()
    answer = []
    source?.end()
    source = nil
    authorization?.cancel()
    cancelDeadline()
  }

  func cancelDeadline() {
    guard let pending = deadline else { return }
    deadline = nil
    pending.cancel()
  }
}
