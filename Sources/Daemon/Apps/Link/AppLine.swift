import FoundationEssentials
import HandsetCore

enum AppLine {
  /// - Parameter handset: the handset's name; nil for the handset on the board.
  case hello(AppID, Lifecycle, handset: String?)
  case completed(PushID, DeliveryResult)
  /// Any other line, as an input of the app that is connected.
  case input((AppID) -> Input)

  /// The reason why a line is refused, for the app's author.
  struct Fault: Error, Equatable {
    var message: String
    /// True if the line's subject was understood, so that the connection stays open.
    var isHarmless = false
  }

  static let forms =
    #"{"hello":{"app":ID,"state":STATE}}, {"state":STATE}, {"completed":PUSH,"result":RESULT}, {"present":[KIND]}, "#
    + #"{"badge":NUMBER}, {"delivered":true}, {"remove":[NUMBER]}, "#
    + #"{"removeAll":true} or {"activity":{"id":NUMBER,"update":{…}}}"#

  init(_ bytes: some Sequence<UInt8>) throws(Fault) {
    guard let line = try? JSONDecoder().decode(Form.self, from: Data(bytes)), line.count == 1 else {
      throw Fault(message: "no line of an app: expected \(AppLine.forms)")
    }
    if let hello = line.hello {
      guard let app = AppID(hello.app) else { throw Fault(message: "'\(hello.app)' is no bundle identifier") }
      self = .hello(app, try AppLine.lifecycle(hello.state), handset: hello.handset)
    } else if let state = line.state {
      let declared = try AppLine.lifecycle(state)
      self = .input { .listening($0, declared) }
    } else if let push = line.completed {
      guard let id = PushID(push) else {
        throw Fault(message: "'\(push)' is no identifier of a push: give the one it came with", isHarmless: true)
      }
      guard let word = line.result else { throw Fault(message: "a completed push needs its result", isHarmless: true) }
      guard let result = DeliveryResult(rawValue: word) else {
        throw Fault(message: "the result cannot be '\(word)': it is one of \(DeliveryResult.words)", isHarmless: true)
      }
      self = .completed(id, result)
    } else if let names = line.present {
      guard let kinds = NotificationKinds(names: names), !kinds.contains(.provisional) else {
        let words = NotificationKinds.all.names.joined(separator: ", ")
        throw Fault(message: "what is presented can only be \(words)", isHarmless: true)
      }
      self = .input { .setForegroundPresentation($0, kinds) }
    } else if let badge = line.badge {
      guard badge >= 0 else { throw Fault(message: "a badge is 0 or more, not \(badge)", isHarmless: true) }
      self = .input { .setBadge($0, badge) }
    } else if let numbers = line.remove {
      self = .input { .removeDelivered($0, numbers.map(NotificationID.init(number:))) }
    } else if line.delivered == true {
      self = .input { .listDelivered($0) }
    } else if let activity = line.activity {
      let update = activity.update
      guard (try? JSONDecoder().decode([String: Member].self, from: Data(update.content.utf8))) != nil else {
        throw Fault(message: "the content of an activity is the text of a JSON object", isHarmless: true)
      }
      self = .input { .changeActivity($0, activity.id, update) }
    } else if line.removeAll == true {
      self = .input { .removeDelivered($0, nil) }
    } else {
      throw Fault(message: "delivered and removeAll can only be true", isHarmless: true)
    }
  }

  private static func lifecycle(_ word: String) throws(Fault) -> Lifecycle {
    guard let state = Lifecycle(rawValue: word), state.isRunning else {
      throw Fault(message: "the state cannot be '\(word)': it is foreground or background")
    }
    return state
  }

  struct Hello: Decodable {
    var app: String
    var state: String
    var handset: String?
  }

  /// The Live Activity that a line starts, without a number, updates or ends.
  struct Activity: Decodable {
    var id: ActivityID?
    var update: ActivityUpdate
  }

  /// A member of an object, of any kind.
  private struct Member: Decodable {
    init(from _: any Decoder) {}
  }

  private struct Form: Decodable {
    var hello: Hello?
    var state: String?
    var completed: String?
    var result: String?
    var present: [String]?
    var badge: Int?
    var delivered: Bool?
    var remove: [UInt64]?
    var removeAll: Bool?
    var activity: Activity?

    var count: Int {
      let given = [
        hello != nil, state != nil, completed != nil, present != nil, badge != nil, delivered != nil, remove != nil,
        removeAll != nil, activity != nil,
      ]
      return given.count { $0 }
    }
  }
}
