import HandsetCore

// A new channel's attributes, and the payload of a broadcast.

private enum ChannelKey: String, CaseIterable {
  case policy = "message-storage-policy"
  case pushType = "push-type"
}

private let channelNames = JSONNames<ChannelKey>()

extension StoragePolicy {
  /// Reads the body of a request for a new channel.
  ///
  /// - Throws: `PayloadEmpty` without a body, `BadRequestPayload` if it is no JSON object, `BadRequestParams` if an
  ///   attribute is missing, unknown or wrong.
  init(ofChannel body: [UInt8], limits: PortLimits) throws(APNsRefusal) {
    let read = try channelBody(body, limits) { object -> Result<StoragePolicy, APNsRefusal> in
      let (known, unknown) = object.members(channelNames, unknown: 1)
      func refuse(_ detail: String) -> Result<StoragePolicy, APNsRefusal> {
        .failure(APNsRefusal(.badRequestParams, detail))
      }
      if let other = unknown.first {
        return refuse("\(quoted(other.name)) is neither message-storage-policy nor push-type")
      }
      guard let policy = known[.policy], let type = known[.pushType] else {
        return refuse("expected message-storage-policy and push-type")
      }
      guard type.string == "LiveActivity" else { return refuse("push-type is \(type.quote), expected LiveActivity") }
      guard let number = policy.integer, let policy = Int(exactly: number).flatMap(StoragePolicy.init) else {
        return refuse("message-storage-policy is \(policy.quote), expected 0 or 1")
      }
      return .success(policy)
    }
    self = try read.get()
  }
}

extension Push {
  /// Makes a broadcast. As with every push, a fault inside `aps` refuses nothing.
  ///
  /// - Throws: `PayloadEmpty` without a body or without an object `aps`, `BadRequestPayload` if it is no JSON object.
  init(
    broadcast head: APNsPushHead, _ body: [UInt8], hasProviderID: Bool, limits: PortLimits, provider: String?
  ) throws(APNsRefusal) {
    try channelBody(body, limits) { _ in }
    try self.init(
      head, APNsPayload(body, type: .liveactivity, limits: limits), body: body, hasProviderID: hasProviderID,
      provider: provider)
  }

  /// Makes a broadcast that another machine has checked and sent here with its payload unchanged, or that a person
  /// sends.
  /// - Throws: `BadStoredPush` if the payload is invalid.
  public init(
    broadcast id: PushID, to app: AppID, priority: Int, expiration: Expiration, payload body: [UInt8],
    provider: String?, limits: PortLimits = .standard
  ) throws(BadStoredPush) {
    let head = APNsPushHead(
      id: id, token: nil, topic: app, type: .liveactivity, priority: priority, expiration: expiration, collapseID: nil,
      payloadLimit: limits.channelBodyBytes)
    do throws(APNsRefusal) {
      guard body.count <= limits.channelBodyBytes else { throw .payloadTooLarge(limits.channelBodyBytes) }
      // The same broadcast may come twice from a fleet's gateway (rule P1).
      try self.init(broadcast: head, body, hasProviderID: true, limits: limits, provider: provider)
    } catch {
      throw BadStoredPush(problem: "\(error.reason.rawValue): \(error.detail)")
    }
  }
}

private func channelBody<Answer>(
  _ body: [UInt8], _ limits: PortLimits, _ read: (JSONObject) -> Answer
) throws(APNsRefusal) -> Answer {
  guard !body.isEmpty else { throw APNsRefusal(.payloadEmpty, "the body is empty") }
  do throws(MalformedJSON) {
    return try JSONObject.read(body, depth: limits.payloadDepth, read)
  } catch {
    throw APNsRefusal(.badRequestPayload, error.detail(in: body, depth: limits.payloadDepth))
  }
}
