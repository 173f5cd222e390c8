import HTTP

/// A known habit of Apple's service, or of this program, as one or more faults.
public struct FaultPreset: Sendable {
  public let name: String
  public let meaning: String
  /// Where it is documented, or who met it.
  public let source: String
  public let faults: [[String: JSONValue]]

  private static let responses = "Apple, Handling notification responses from APNs"
  private static let closing: [String: JSONValue] = ["goaway": "no-error", "refusals": .integer(10)]
  private static let deviceLimit: [String: JSONValue] = [
    "answer": .integer(429), "reason": "TooManyRequests", "per-token": "10/1m",
  ]

  public static let all: [FaultPreset] = [
    FaultPreset(
      name: "apple-limits",
      meaning: "Apple's limits with numbers of our own: 429 TooManyRequests for a device token with more than ten "
        + "requests in a minute, and the end of a connection with ten refusals.",
      source: "\(responses): 429 is about one device token; Apple publishes no numbers",
      faults: [deviceLimit, closing]),
    FaultPreset(
      name: "closes-after-refusals",
      meaning: "GOAWAY and the end of the connection at its tenth refusal (4xx): providers with many refused requests "
        + "met it. BadDeviceToken counts twice, 410 not at all.",
      source: "pushy #312: GOAWAY after thousands of notifications, some rejected",
      faults: [closing]),
    FaultPreset(
      name: "too-many-token-updates",
      meaning: "429 TooManyProviderTokenUpdates: the provider made a new token too often.",
      source: "\(responses): at most one new token in 20 minutes; pushy #568, #811",
      faults: [["answer": .integer(429), "reason": "TooManyProviderTokenUpdates"]]),
    FaultPreset(
      name: "expired-token-in-a-burst",
      meaning:
        "One request meets an expired token: 403, the connection falls to one stream, and the next two are refused.",
      source: "pushy #476, #486, #732: SETTINGS with MAX_CONCURRENT_STREAMS=1, then RST_STREAM with code 7",
      faults: [
        ["pushes": .integer(1), "streams": .integer(1), "at": "before-commit"],
        ["pushes": .integer(1), "answer": .integer(403), "reason": "ExpiredProviderToken"],
        ["pushes": .integer(2), "reset": "refused-stream"],
      ]),
    FaultPreset(
      name: "device-too-often", meaning: "429 TooManyRequests, for one device token if the fault has one.",
      source: "\(responses): too many requests for the same device token",
      faults: [["answer": .integer(429), "reason": "TooManyRequests"]]),
    FaultPreset(
      name: "other-environment",
      meaning: "400 BadDeviceToken, as for a token of the other environment: development or production.",
      source: "\(responses); BadDeviceToken for every token is a wrong environment (matrix-org/sygnal #158)",
      faults: [["answer": .integer(400), "reason": "BadDeviceToken"]]),
    FaultPreset(
      name: "unregistered", meaning: "410 Unregistered, with a timestamp: 2026-01-01.",
      source: "\(responses): the device token is inactive for the topic",
      faults: [["answer": .integer(410), "reason": "Unregistered", "timestamp": .integer(1_767_225_600_000)]]),
    FaultPreset(
      name: "shutdown",
      meaning: "A first and a second GOAWAY, 503 Shutdown, and the end of the connection: the server stops.",
      source: "\(responses): Shutdown; pushy #865, parse-community/node-apn #140",
      faults: [
        ["pushes": .integer(1), "goaway": "no-error", "times": .integer(2)],
        ["pushes": .integer(1), "answer": .integer(503), "reason": "Shutdown"],
      ]),
    FaultPreset(
      name: "storage-full", meaning: "503 ServiceUnavailable, as this program answers while it cannot store anything.",
      source: "docs/apns.md: a push is answered only when it is stored",
      faults: [["answer": .integer(503), "reason": "ServiceUnavailable"]]),
    FaultPreset(
      name: "committed-then-cut", meaning: "The push is stored and shown, and the connection is cut before the answer.",
      source: "edamov/pushok #133: a push that is sent again then rings twice",
      faults: [["cut": "answer", "at": "after-commit"]]),
  ]
}
