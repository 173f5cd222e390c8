import HTTP
import HandsetCore
import StrictYAML

/// The reason why a request was refused: an HTTP status, a message and the remedy.
public typealias ControlError = HTTPError

extension ControlError {
  /// Makes a 503, unless the error is a `ControlError` already.
  init(failure: any Error) {
    self = failure as? ControlError ?? ControlError(503, "\(failure)")
  }

  /// Makes a 404 for a missing object, a 409 for the wrong moment, a 400 for a wrong value.
  init(_ refusal: Refusal) {
    self.init(refusal.status, refusal.explanation, hint: refusal.hint)
  }

  /// - Parameters:
  ///   - kind: the kind of the thing that does not exist: `button`.
  ///   - owner: the thing that it would belong to: `the handset`.
  static func unknown(
    _ kind: String, _ name: String, in owner: String? = nil, among names: [String], status: Int = 400
  ) -> ControlError {
    ControlError(
      status, "there is no \(kind) '\(shown(name))'" + (owner.map { " of \($0)" } ?? ""),
      hint: DeskbellDaemon.hint(for: name, among: names))
  }
}

extension ControlError {
  /// The answer of a desk's daemon on every route of a test bench: its notifications are real.
  static let notABench = ControlError(
    404, "NotABench: this daemon is a desk's, and no test bench", hint: "start one with 'deskbell bench'")
  static let noBench = "The daemon is no test bench."
}

extension Refusal {
  fileprivate var status: Int {
    switch self {
    case .unknownApp, .unknownNode, .unknownNotification, .unknownLocalNotification, .unknownCall, .unknownAction,
      .unknownActivity, .unknownFocusMode:
      404
    case .notRunning, .notOffered, .noAlert, .noAction, .locked, .offline, .tooManyApps, .tooManyNodes,
      .notSnoozed, .tooManyActivities, .activitiesOff, .tooManyFocusModes:
      409
    case .badSetting, .badLocalNotification, .badBadge, .badSnooze, .badCall, .badFocusMode, .takesNoText, .needsText,
      .badText, .badDeviceToken, .deviceTokenNotForTopic, .tokenOfAnotherUse, .badActivity:
      400
    case .unregistered, .goneApp, .expiredToken, .goneNode: 410
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .notRunning: "launch it first"
    case .locked: "unlock it first: deskbell conditions locked off"
    case .offline: "go online first: deskbell conditions offline off"
    case .needsText: "write it: deskbell press ACTION --text TEXT"
    case .noAlert: "an alert comes with a message for an app whose style is 'alert'"
    case .noAction: "press close"
    case .tooManyNodes: "delete one first"
    case .tooManyApps: "uninstall one first"
    case .unknownNotification: "Run 'deskbell center' to list notification numbers."
    case .notSnoozed: "Run 'deskbell snooze' to list what is snoozed."
    case .badSetting(let error): nearest(error.value, among: error.expected).map { "did you mean '\($0)'?" }
    default: nil
    }
  }
}

/// - Throws: `ControlError` with the nearest name.
func known<Value: RawRepresentable<String> & CaseIterable>(
  _ name: String, of kind: String, in owner: String? = nil, status: Int = 400
) throws(ControlError) -> Value {
  guard let value = Value(rawValue: name) else {
    throw .unknown(kind, name, in: owner, among: Value.allCases.map(\.rawValue), status: status)
  }
  return value
}

/// Runs `body`.
/// - Throws: the `ControlError` that `body` throws; for other errors one of that status, with their text after `prefix`.
func refusing<Result>(
  _ status: Int, _ prefix: String = "", hint: String? = nil, _ body: () throws -> Result
) throws(ControlError) -> Result {
  do { return try body() } catch {
    throw error as? ControlError ?? ControlError(status, "\(prefix)\(error)", hint: hint)
  }
}

/// Suggests the nearest name, or lists the existing names.
func hint(for word: String, among names: [String]) -> String {
  if let near = nearest(word, among: names) { return "did you mean '\(near)'?" }
  let listed = names.prefix(ControlLimits.hintedNames).joined(separator: ", ")
  let rest = names.count - ControlLimits.hintedNames
  return rest > 0 ? "there are \(listed) and \(rest) more" : "there \(names.count == 1 ? "is" : "are") \(listed)"
}

/// Returns the caller's text, cut if it is longer than a message should quote.
func shown(_ text: String) -> String {
  text.unicodeScalars.count > Policy.eventQuoteLimit
    ? String(String.UnicodeScalarView(text.unicodeScalars.prefix(Policy.eventQuoteLimit))) + "…" : text
}
