import HTTP
import HandsetCore

/// The faults as the hooks of the port have them: what matches a connection or a request at a point, as actions.
extension FaultTable {
  public mutating func fault(atAcceptOf connection: RecordedConnection, now: Duration) -> BenchFault? {
    BenchFault(strike(FaultFacts(connection: connection.number), at: .accept, now: now), of: nil)
  }

  public mutating func fault(atBeginningOf connection: RecordedConnection, now: Duration) -> BenchFault? {
    BenchFault(strike(FaultFacts(connection: connection.number), at: .connect, now: now), of: nil)
  }

  public mutating func fault(at point: BenchPoint, of request: RecordedRequest, now: Duration) -> BenchFault? {
    let moment: Fault.Moment
    switch point {
    case .head: moment = .head
    case .beforeCommit: moment = .beforeCommit
    case .beforeAnswer: moment = .afterCommit
    case .body: return nil
    }
    var facts = FaultFacts(
      connection: request.connection, isHTTP2: request.stream != nil, provider: request.provider, app: request.app,
      token: request.token?.lowercased(), handset: request.handset)
    (facts.stream, facts.refusals) = (request.stream ?? 0, request.refusals)
    return BenchFault(strike(facts, at: moment, now: now), of: request)
  }
}

extension BenchFault {
  /// - Parameters:
  ///   - hits: the last is the one that the fault is named after.
  ///   - request: the struck one; nil for a connection.
  /// - Returns: nil if there are none.
  init?(_ hits: [FaultTable.Hit], of request: RecordedRequest?) {
    guard let last = hits.last else { return nil }
    self.init(
      name: last.name,
      actions: hits.flatMap { hit -> [BenchAction] in
        let delay: [BenchAction] = hit.action.delay == .zero ? [] : [.wait(hit.action.delay)]
        return delay + hit.action.kind.actions(of: request)
      })
    names = hits.map(\.name)
  }
}

extension Fault.Kind {
  fileprivate func actions(of request: RecordedRequest?) -> [BenchAction] {
    switch self {
    case .wait, .condition: []
    case .answer(let answer): [answer.action(to: request)]
    case .silence: [.silence]
    case .reset(let code): [.reset(code: code)]
    case .goAway(let goAway): goAway.actions(stream: request?.stream ?? 0)
    case .settings(let settings):
      [.settings(streams: settings.streams.map { Int($0) }, window: settings.window.map { Int($0) })]
    case .cut(.accept), .cut(.request), .cut(.answer): [.cut]
    case .cut(.headers): [.cutAnswer(withBody: false)]
    case .cut(.body): [.cutAnswer(withBody: true)]
    case .certificate(let kind): [.certificate(kind)]
    }
  }
}

extension Fault.GoAway {
  fileprivate func actions(stream: UInt32) -> [BenchAction] {
    let number: UInt32 =
      switch last {
      case .this: stream
      case .previous: stream < 2 ? 0 : stream - 2
      case .number(let number): number
      }
    let first: [BenchAction] =
      times == 1 ? [] : [.goAway(lastStream: UInt32.max >> 1, code: 0, closes: false)]
    return first + [.goAway(lastStream: number, code: code, closes: closes)]
  }
}

extension Fault.Answer {
  fileprivate func action(to request: RecordedRequest?) -> BenchAction {
    var headers: [RecordedField] = []
    let frontEnd = request?.frontEnd ?? ""
    let isOfAPNs = ["apns", "channels"].contains(frontEnd)
    // APNs makes an identifier for a request that has none.
    if isOfAPNs {
      let name = frontEnd == "apns" ? "apns-id" : "apns-request-id"
      headers.append(RecordedField(name, request?.push ?? PushID.random().description))
    }
    if let retryAfter { headers.append(RecordedField("retry-after", "\(retryAfter)")) }
    let bytes = bytes(in: frontEnd)
    if !bytes.isEmpty {
      let isJSON = isOfAPNs || ["ntfy", "gotify"].contains(frontEnd)
      headers.append(RecordedField("content-type", isJSON ? "application/json" : "text/plain; charset=utf-8"))
    }
    return .answer(status: status, headers: headers, body: bytes)
  }

  /// The body in the form of a protocol.
  private func bytes(in frontEnd: String) -> [UInt8] {
    if let body { return Array(body.utf8) }
    guard status >= 300 else { return [] }
    let isUnavailable = status == 503 && frontEnd == "channels"
    let reason =
      reason ?? (isUnavailable ? APNsReason.channelsUnavailable.rawValue : Fault.Answer.reason(of: status))
    let number = JSONValue.integer(Int64(status))
    var object: [String: JSONValue]
    switch frontEnd {
    case "apns", "channels": object = ["reason": .string(reason)]
    case "ntfy": object = ["code": .integer(Int64(status) * 100), "http": number, "error": .string(reason)]
    case "gotify": object = ["error": .string(reason), "errorCode": number, "errorDescription": .string(reason)]
    default: return Array("\(reason)\n".utf8)
    }
    if let timestamp { object["timestamp"] = .integer(timestamp) }
    // Texts and integers can always be encoded.
    return (try? object.encoded()) ?? []
  }

  /// Apple's first reason of a status [APNs, "Handling notification responses from APNs"].
  static func reason(of status: Int) -> String {
    let usual: [Int: APNsReason] = [
      400: .badDeviceToken, 403: .invalidProviderToken, 410: .unregistered, 429: .tooManyRequests,
      503: .serviceUnavailable,
    ]
    let reason = usual[status] ?? APNsReason.allCases.first { $0.status == status }
    return reason?.rawValue ?? (status < 500 ? "BadRequest" : APNsReason.internalServerError.rawValue)
  }
}
