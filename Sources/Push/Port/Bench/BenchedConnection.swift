import HTTP
import NIOCore
import NIOSSL

/// A connection of a port with a test bench. Belongs to the connection's event loop.
final class BenchedConnection {
  let bench: any PortBench
  let recorded: RecordedConnection
  let eventLoop: any EventLoop
  /// Returns the HTTP/2 stream whose request is being opened.
  var openedStream: () -> UInt32? = { nil }
  /// Does what the version of HTTP has to do for an action other than `answer`, `wait` and `silence`; set once the
  /// version is known. Until then only `cut` has an effect.
  var act: (BenchAction, _ stream: UInt32?) -> Void = { _, _ in }
  /// The reason for the end, once it is known.
  var why: String?
  /// The certificate that a fault wants in place of the port's.
  private(set) var certificate: Fault.CertificateFault?
  /// The streams that a fault has reset.
  var resetStreams: Set<UInt32> = []
  /// How often its requests were refused so far.
  private var refusals = 0
  /// How many of these faults were asked about.
  private var examinedRefusals = 0
  /// The numbers of the requests that have no answer yet, by their streams.
  private var open: [UInt32: Int] = [:]
  private var isClosed = false

  init(_ bench: any PortBench, on channel: any Channel) {
    self.bench = bench
    eventLoop = channel.eventLoop
    recorded = bench.connectionOpened(from: channel.remoteAddress?.ipAddress)
    act = { [weak channel] action, _ in
      if action == .cut { channel?.cut() }
    }
    let connection = NIOLoopBound(self, eventLoop: channel.eventLoop)
    channel.closeFuture.assumeIsolated().whenComplete { _ in connection.value.closed() }
  }

  /// Applies a fault of the connection's beginning.
  /// - Returns: true if the connection is closed at once.
  func isCutAtAccept() -> Bool {
    guard let fault = bench.fault(atAcceptOf: recorded) else { return false }
    for case .certificate(let kind) in fault.actions { certificate = kind }
    guard fault.actions.contains(.cut) else { return false }
    why = "fault \(fault.name)"
    return true
  }

  /// Returns the settings with which a fault wants an HTTP/2 connection to begin.
  func firstSettings() -> [BenchAction] { bench.fault(atBeginningOf: recorded)?.actions ?? [] }

  /// Records the reason for the end; the first one counts.
  func ends(_ why: @autoclosure () -> String) {
    if self.why == nil { self.why = why() }
  }

  /// Counts a refusal: an answer of 400 to 499 once, BadDeviceToken twice, and 410 not at all, as Apple's service closes
  /// a connection with many refusals, and sooner if its device tokens are bad.
  /// - Returns: as in `RecordedRequest.refusals`.
  func count(_ response: HTTPResponse) -> ClosedRange<Int>? {
    guard (400..<500).contains(response.status), response.status != 410 else { return nil }
    let isBadToken = RecordedAnswer(response, by: nil).reason == APNsReason.badDeviceToken.rawValue
    refusals += isBadToken ? 2 : 1
    return examinedRefusals + 1...refusals
  }

  /// Notes that faults are asked about all refusals so far.
  func examineRefusals() { examinedRefusals = refusals }

  private func closed() {
    for number in open.values { bench.ended(number, "cut") }
    open = [:]
    isClosed = true
    openedStream = { nil }
    act = { _, _ in }
    bench.connectionClosed(recorded, why: why ?? "the client closed it")
  }

  func began(_ request: RecordedRequest) -> RecordedRequest {
    let numbered = bench.requestBegan(request)
    if let stream = request.stream { open[stream] = numbered.number }
    return numbered
  }

  func answered(_ request: RecordedRequest, _ answer: RecordedAnswer, provider: String?) {
    if let stream = request.stream { open[stream] = nil }
    bench.answered(request.number, answer, provider: provider)
  }

  func ended(_ request: RecordedRequest, _ end: String) {
    if let stream = request.stream { open[stream] = nil }
    bench.ended(request.number, end)
  }

  /// Returns true while a client waits for the answer to a request.
  func isUnderWay(_ request: RecordedRequest) -> Bool {
    request.stream.map { open[$0] == request.number } ?? !isClosed
  }

  /// A stream ended before its answer: its client, or a limit of ours, reset it.
  func streamReset(_ stream: UInt32) {
    if let number = open.removeValue(forKey: stream) { bench.ended(number, "reset") }
  }

  /// GOAWAY left out a stream before its answer.
  func streamLeft(_ stream: UInt32) {
    if let number = open.removeValue(forKey: stream) { bench.ended(number, "goaway") }
  }

  /// HTTP/2 refused a stream before its head was read.
  func refused(_ stream: UInt32) {
    let request = RecordedRequest(
      connection: recorded.number, stream: stream, frontEnd: "none", method: "", path: "", headers: [])
    bench.ended(bench.requestBegan(request).number, "refused")
  }

  /// A head arrived that HTTP/2 does not allow: its stream is reset.
  func malformed(_ head: RequestHead, _ stream: UInt32) {
    let request = RecordedRequest(head, on: self, stream: stream, frontEnd: "none")
    bench.ended(bench.requestBegan(request).number, "reset")
  }
}

extension Channel {
  /// Closes TCP at once, without the end of TLS, for whose answer NIOSSL would wait.
  func cut() {
    let beforeTLS = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self)
    if let beforeTLS { beforeTLS.close(promise: nil) } else { close(promise: nil) }
  }
}
