// A scenario as its file describes it: the provider under test, apps, faults and steps, each with its place.

import HTTP
import StrictYAML

public struct Scenario: Sendable {
  /// The path as it was given.
  public let file: String
  public let title: String
  let position: SourcePosition
  var provider: ProviderProgram?
  let apps: [ScenarioApp]
  let faults: [ScenarioFault]
  let steps: [ScenarioStep]

  /// The file's name without folder and extension.
  public var name: String {
    let last = file.split(separator: "/").last.map(String.init) ?? file
    return last.hasSuffix(".yaml") ? String(last.dropLast(".yaml".count)) : last
  }

  /// The folder of the file; empty for the working folder.
  var folder: String { file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "" }
}

/// The program under test, which the runner starts and stops.
struct ProviderProgram: Sendable {
  let position: SourcePosition
  /// The program and its arguments.
  var command: [Template]
  /// The working folder; relative to that of the scenario's file. Nil is the scenario's folder.
  var folder: String?
  let environment: [(name: String, value: Template)]
  /// A part of the line that the program prints when it is ready; nil if it is ready as soon as it runs.
  let readyLine: String?
}

struct ScenarioApp: Sendable {
  let id: String
  let position: SourcePosition
  /// Keys of the app's manifest, `app.yaml`, beside `id` and `name`.
  let manifest: [String: JSONValue]

  /// True if it has tokens for Live Activities.
  var hasActivities: Bool { manifest["live-activity"] != nil }
}

/// A fault in the form of the control API, in which its texts may have variables.
struct ScenarioFault: Sendable {
  let name: String
  let position: SourcePosition
  let members: [(key: String, value: Value)]

  enum Value: Sendable {
    case json(JSONValue)
    case text(Template)
  }
}

struct ScenarioStep: Sendable {
  let position: SourcePosition
  let action: Action

  /// Indirect, since an expectation is large, and what copies it would be too.
  indirect enum Action: Sendable {
    case tell(Tell)
    /// `step`: the time is advanced in parts of so many seconds; nil for all at once.
    case advance(seconds: Int64, step: Int64?)
    case settle(app: String?)
    case handset(HandsetCommand)
    case fault([ScenarioFault])
    case endFault(String)
    case expect(Expectation)
  }

  /// True if it changes nothing.
  var onlyLooks: Bool {
    switch action {
    case .settle, .expect: true
    case .tell, .advance, .handset, .fault, .endFault: false
    }
  }
}

/// A request to the program, or a line for its standard input.
struct Tell: Sendable {
  enum Way: Sendable {
    case request(method: String, url: Template, body: Template)
    case line(Template)
  }

  let way: Way
  /// The status that the request must be answered with before the scenario goes on; nil to go on without an answer if
  /// none comes at once.
  let answer: Int?
}

/// A command of the stories, as requests to the control API.
enum HandsetCommand: Sendable, Hashable {
  case push(app: String, fields: [String: JSONValue])
  case lifecycle(app: String, command: String)
  case register(app: String, kinds: [String])
  case unregister(app: String)
  case uninstall(app: String)
  case badge(app: String, Int)
  case set(app: String?, key: String, value: String)
  case condition(String, isOn: Bool)
  case press(String)
  /// nil: all of Notification Center.
  case clear(app: String?)
  /// nil: all that waits in the service.
  case fetch(app: String?)
}

/// The facts that must hold, or come to hold within the runner's patience.
struct Expectation: Sendable {
  let position: SourcePosition
  var answer: AnswerExpectation?
  var requests: RequestsExpectation?
  var presented: PresentedExpectation?
  var board: BoardExpectation?
  var center: CenterExpectation?
  var events: EventsExpectation?
  /// Events none of which may have happened.
  var never: EventsExpectation?
  var hits: [HitsExpectation] = []
  var says: SaysExpectation?
  /// The place of `lint: none`.
  var noLint: SourcePosition?
}

/// The next request that has an answer.
struct AnswerExpectation: Sendable {
  enum Answer: Sendable, Hashable {
    case status(Int)
    /// Its stream or connection ended without one.
    case none
  }

  let position: SourcePosition
  var app: String?
  var answer: Answer?
  var reason: String?
  var fault: String?
  var by: String?
  /// Since the last step that did something, in the handset's time.
  var within: Bound?
  var afterPrevious: Bound?
  /// The device token.
  var token: Template?
  var headers: [(name: String, value: String)] = []
  /// Members of the payload by their path: `aps.badge`.
  var payload: [(path: String, value: String)] = []
}

/// All requests of the scenario so far.
struct RequestsExpectation: Sendable {
  let position: SourcePosition
  var app: String?
  var token: Template?
  var count: Bound?
  var connections: Bound?
  /// Different provider tokens or other authorizations.
  var credentials: Bound?
  /// Different device tokens.
  var tokens: Bound?
  var same: [String] = []
  var differ: [String] = []
  /// How many have an answer of that status.
  var answers: [(status: Int, count: Bound)] = []
}

struct PresentedExpectation: Sendable {
  let position: SourcePosition
  var app: String?
  var times: Bound?
  var rang: Bool?
}

struct BoardExpectation: Sendable {
  let position: SourcePosition
  var digits: String?
  /// The lamp's pattern; `off`.
  var lamp: String?
}

/// The texts of notifications in Notification Center, the newest first.
struct CenterExpectation: Sendable {
  let position: SourcePosition
  var app: String?
  var texts: [String]
}

/// Events in this order, with others between them.
struct EventsExpectation: Sendable {
  let position: SourcePosition
  let lines: [EventPattern]
}

struct HitsExpectation: Sendable {
  let position: SourcePosition
  let fault: String
  let count: Bound
}

/// A part of a line of the program's output.
struct SaysExpectation: Sendable {
  let position: SourcePosition
  let text: String
}
