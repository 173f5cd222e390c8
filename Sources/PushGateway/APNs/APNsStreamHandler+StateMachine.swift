// What one request has come to, without a socket: fed with what arrives, it says what to do. The handler beside it
// only carries that out.

import HandsetCore
import NIOHPACK

extension APNsStreamHandler {
  struct StateMachine {
    private enum State {
      case waitingForHeaders
      case collecting(APNsPushHead, body: [UInt8])
      /// Handed over; the answer comes with the outcome.
      case submitted
      /// Answered; what still comes of the body is thrown away.
      case answered(discardedBytes: Int)
      case ended
    }

    enum Action {
      case nothing
      case submit(Push)
      /// Nobody but the gateway knows of the request: answer it and write it down.
      case refuse(APNsAnswer, RefusedPush)
      case answer(APNsAnswer)
      /// Give the stream up.
      case reset
    }

    private var state = State.waitingForHeaders
    private var topic: AppID?
    private var sentID: String?
    private let madeID: PushID
    private let limits: GatewayLimits

    /// - Parameter madeID: what the push is called where the request does not say.
    init(madeID: PushID, limits: GatewayLimits) {
      self.madeID = madeID
      self.limits = limits
    }

    /// `apns-id` of the answer: exactly as it was sent, else the one that was made.
    var echoedID: String { sentID ?? madeID.description }

    /// Whether more of the request is to come.
    var isReceiving: Bool {
      switch state {
      case .waitingForHeaders, .collecting, .answered: true
      case .submitted, .ended: false
      }
    }

    /// Whether what is still to come will be thrown away.
    var isRefused: Bool {
      if case .answered = state { true } else { false }
    }

    /// - Parameter now: on the handset's clock.
    mutating func receiveHeaders(
      _ headers: HPACKHeaders, endOfStream: Bool, now: WallTime,
      authenticate: (_ authorization: String?) throws(APNsRefusal) -> Provider
    ) -> Action {
      switch state {
      case .waitingForHeaders:
        let head = APNsRequestHead(headers)
        sentID = head.id
        topic = head.topic.flatMap { AppID($0) }
        do throws(APNsRefusal) {
          let decoded = try APNsPushHead(head, id: madeID, now: now, limits: limits, authenticate: authenticate)
          state = .collecting(decoded, body: [])
        } catch {
          return refuse(error, endOfStream: endOfStream)
        }
        return endOfStream ? receiveEnd() : .nothing
      case .collecting, .submitted, .answered, .ended:
        // Trailers: nothing in them is of interest.
        return endOfStream ? receiveEnd() : .nothing
      }
    }

    mutating func receiveBody(_ bytes: some Collection<UInt8>, endOfStream: Bool) -> Action {
      switch state {
      case .collecting(let head, var body):
        state = .ended  // So that `body` is the only reference, and grows in place.
        guard body.count + bytes.count <= head.payloadLimit else {
          return refuse(.payloadTooLarge(head.payloadLimit), endOfStream: endOfStream)
        }
        body.append(contentsOf: bytes)
        state = .collecting(head, body: body)
        return endOfStream ? receiveEnd() : .nothing
      case .answered(let discardedBytes):
        if endOfStream {
          state = .ended
          return .nothing
        }
        guard discardedBytes + bytes.count <= limits.discardedBytes else {
          state = .ended
          return .reset
        }
        state = .answered(discardedBytes: discardedBytes + bytes.count)
        return .nothing
      case .waitingForHeaders, .submitted, .ended:
        return .nothing
      }
    }

    /// The host's word. Only the first counts.
    mutating func receiveOutcome(_ outcome: PushOutcome) -> Action {
      guard case .submitted = state else { return .nothing }
      state = .ended
      return .answer(APNsAnswer(outcome))
    }

    /// The rest of the request did not come in time. Whose fault that was cannot be known, so it may be tried again.
    mutating func receiveTimeout() -> Action {
      switch state {
      case .waitingForHeaders, .collecting:
        let seconds = limits.bodyDuration.inMicroseconds / 1_000_000
        return refuse(
          APNsRefusal(.serviceUnavailable, "the body did not end within \(seconds) s"), endOfStream: false)
      case .answered:
        state = .ended
        return .reset
      case .submitted, .ended:
        return .nothing
      }
    }

    /// The stream is gone; an outcome that comes later has nobody to go to.
    mutating func close() {
      state = .ended
    }

    private mutating func receiveEnd() -> Action {
      switch state {
      case .collecting(let head, let body):
        do throws(APNsRefusal) {
          let payload = try APNsPayload(body, type: head.type, limits: limits)
          var push = try Push(head, payload, body: body)
          push.hasProviderID = sentID != nil
          state = .submitted
          return .submit(push)
        } catch {
          return refuse(error, endOfStream: true)
        }
      case .answered:
        state = .ended
        return .nothing
      case .waitingForHeaders, .submitted, .ended:
        return .nothing
      }
    }

    private mutating func refuse(_ refusal: APNsRefusal, endOfStream: Bool) -> Action {
      state = endOfStream ? .ended : .answered(discardedBytes: 0)
      let record = RefusedPush(
        id: sentID == nil ? madeID : sentID.flatMap { PushID($0) }, topic: topic, status: refusal.reason.status,
        reason: refusal.reason.rawValue, detail: refusal.detail)
      return .refuse(APNsAnswer(refusal.reason), record)
    }
  }
}
