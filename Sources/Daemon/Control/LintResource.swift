import HTTP
import Lint

extension Finding: WireType {
  static let meaning =
    "A request of a provider that Apple's service may accept, and that a careful provider does not send. docs/lint.md "
    + "lists the rules."
  static let meanings: [String: Meaning] = [
    "code": .words(LintRule.all.map(\.code), "The rule's code, which is stable."),
    "name": .words(LintRule.all.map(\.name), "The rule's name, which is stable."),
    "request": .number(from: 1, "The number of the request."),
    "provider": "The provider; absent if none has authenticated.",
    "handset": "The handset that the request is for; absent if that is not known.",
    "sentence": "The fault of this request.",
    "remedy": "The way to mend it.",
    "source": "The document that demands it, or Deskbell's advice.",
  ]
}

public struct LintReport: Codable, Sendable, Equatable, WireType {
  static let meaning = "The linter's findings."

  public var findings: [Finding]
  public var dropped: Int

  static let meanings: [String: Meaning] = [
    "findings": "The findings, in the order in which the requests ended.",
    "dropped": .count("The older findings that are no longer kept."),
  ]
}

enum LintResource {
  static let routes: [DaemonRoute] = [
    DaemonRoute(
      "GET", "/v1/lint", "lint", in: .bench, "The linter's findings on the requests of providers",
      details: "Only a test bench has them: since its start or its last reset, the newest 10,000.",
      query: [
        Operation.Query(
          name: "after", meaning: .number(from: 0, "Findings on requests after this number."), form: .integer,
          standard: .integer(0)),
        Operation.Query(name: "provider", meaning: "Only findings on this provider."),
        Operation.Query(name: "handset", meaning: "Only findings on requests for this handset."),
      ],
      answer: "The findings.", refusals: [404: ControlError.noBench]
    ) { daemon, request in
      let bench = try daemon.requireBench()
      let text = request.target.queryValue("after") ?? "0"
      guard let after = Int(text), after >= 0 else {
        throw ControlError(400, "after is a request's number, 0 or more, not '\(shown(text))'")
      }
      bench.examine()
      return bench.lint.report(
        after: after, provider: request.target.queryValue("provider"), handset: request.target.queryValue("handset"))
    }
  ]
}

extension ControlClient {
  /// - Parameters:
  ///   - provider: nil for all.
  ///   - handset: nil for all.
  public func lint(
    after request: Int = 0, provider: String? = nil, handset: String? = nil
  ) async throws -> LintReport {
    var target = daemonPath("lint") + "?after=\(request)"
    if let provider { target += "&provider=" + RequestTarget.encodedSegment(provider) }
    if let handset { target += "&handset=" + RequestTarget.encodedSegment(handset) }
    return try await get(target)
  }
}
