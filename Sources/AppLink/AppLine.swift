// What an app may say on its socket, decoded and checked before anybody acts on it.

import FoundationEssentials
import HandsetCore

/// One line from an app.
enum AppLine: Equatable {
  case hello(AppID, Lifecycle)
  case state(Lifecycle)
  case completed(PushID, AppResult)

  /// Why a line is refused, in words for the app's author.
  struct Fault: Error, Equatable {
    var message: String
    /// The line was understood as one of the three: the conversation can go on.
    var isHarmless = false
  }

  static let forms = #"{"hello":{"app":ID,"state":STATE}}, {"state":STATE} or {"completed":PUSH,"result":RESULT}"#

  init(_ bytes: some Sequence<UInt8>) throws(Fault) {
    let line: Form
    do {
      line = try JSONDecoder().decode(Form.self, from: Data(bytes))
    } catch {
      throw Fault(message: "no line of an app: expected \(AppLine.forms)")
    }
    switch (line.hello, line.state, line.completed) {
    case (let hello?, nil, nil):
      guard let app = AppID(hello.app) else { throw Fault(message: "'\(hello.app)' is no bundle identifier") }
      self = .hello(app, try AppLine.lifecycle(hello.state))
    case (nil, let state?, nil):
      self = .state(try AppLine.lifecycle(state))
    case (nil, nil, let push?):
      guard let id = PushID(push) else {
        throw Fault(message: "'\(push)' is no identifier of a push: give the one it came with", isHarmless: true)
      }
      guard let word = line.result else { throw Fault(message: "a completed push needs its result", isHarmless: true) }
      guard let result = AppResult(rawValue: word) else {
        throw Fault(message: "the result cannot be '\(word)': it is one of \(AppResult.words)", isHarmless: true)
      }
      self = .completed(id, result)
    default:
      throw Fault(message: "no line of an app: expected \(AppLine.forms)")
    }
  }

  private static func lifecycle(_ word: String) throws(Fault) -> Lifecycle {
    guard let state = Lifecycle(rawValue: word), state.isRunning else {
      throw Fault(message: "the state cannot be '\(word)': it is foreground or background")
    }
    return state
  }

  private struct Form: Decodable {
    struct Hello: Decodable {
      var app: String
      var state: String
    }

    var hello: Hello?
    var state: String?
    var completed: String?
    var result: String?
  }
}
