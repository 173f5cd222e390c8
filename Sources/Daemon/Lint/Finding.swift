/// A request that does not follow a rule.
public struct Finding: Sendable, Hashable, Codable {
  /// The rule's code, `L101`.
  public let code: String
  /// The rule's name, `no-push-type`.
  public let name: String
  /// The number of the request.
  public let request: Int
  /// The provider that sent it; nil if it has not authenticated.
  public let provider: String?
  /// The handset that it is for; nil if that is not known.
  public let handset: String?
  /// The fault of this request, as a sentence.
  public let sentence: String
  /// The way to mend it, as a sentence.
  public let remedy: String
  /// The document that demands it, or whose advice it is.
  public let source: String

  /// - Parameter sentence: nil for the rule's own.
  init(_ rule: LintRule, _ request: LintedRequest, _ sentence: String? = nil) {
    (code, name, remedy, source) = (rule.code, rule.name, rule.remedy, rule.source.text)
    (self.request, provider, handset) = (request.number, request.provider, request.handset)
    self.sentence = sentence ?? rule.fault
  }
}
