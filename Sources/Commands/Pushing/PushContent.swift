// What to push, from the words of the command line: the app, the payload, and the headers that follow from it.

import ArgumentParser
import ControlAPI
import FoundationEssentials
import HandsetCore
import ProviderClient

/// The payload's options: what `deskbell push` says without a file.
struct PayloadOptions: ParsableArguments {
  @Option(help: "The message's title.")
  var title: String?
  @Option(help: "The line below the title.")
  var subtitle: String?
  @Option(help: "The message.")
  var body: String?
  @Option(help: ArgumentHelp("The number on the app's icon; 0 clears it.", valueName: "number"))
  var badge: Int?
  @Option(help: ArgumentHelp("A sound of the app's bundle, by its name, or 'default'.", valueName: "name"))
  var sound: String?
  @Flag(help: "A background update: content-available, and low priority where there is nothing for a person in it.")
  var background = false
  @Option(help: ArgumentHelp("How urgently it asks for attention.", valueName: "level"))
  var level: InterruptionLevel?
  @Option(help: ArgumentHelp("Notifications of the same thread are shown as a group.", valueName: "id"))
  var thread: String?

  var isEmpty: Bool {
    title == nil && subtitle == nil && body == nil && badge == nil && sound == nil && !background && level == nil
      && thread == nil
  }

  var payload: Payload {
    var payload = Payload()
    payload.title = title
    payload.subtitle = subtitle
    payload.body = body
    payload.badge = badge
    payload.sound = sound
    payload.contentAvailable = background
    payload.interruptionLevel = level?.rawValue
    payload.threadID = thread
    return payload
  }
}

extension InterruptionLevel: ExpressibleByArgument {}

/// An app and a file, of which either may be left out.
struct PushSubject: Equatable {
  var app: String?
  var file: String?

  /// One word is a file where it looks like one: a path, or a name that ends in `.apns` or `.json`.
  init(_ words: [String]) throws {
    switch words.count {
    case 0: break
    case 1: if PushSubject.isFile(words[0]) { file = words[0] } else { app = words[0] }
    case 2: (app, file) = (words[0], words[1])
    default: throw ValidationError("Too many words: expected an app and a file.")
    }
  }

  private static func isFile(_ word: String) -> Bool {
    word.contains("/") || word.hasSuffix(".apns") || word.hasSuffix(".json")
  }
}

/// What is sent, but for where and by whom.
struct PushContent: Equatable {
  var app: String
  var payload: [UInt8]
  /// Whether nothing of it is for a person [APNs: push type `background`].
  var isBackground: Bool

  /// - Throws: `Failure`, `ProviderError`.
  init(_ subject: PushSubject, _ options: PayloadOptions) throws {
    var named: String?
    if let path = subject.file {
      let file = try APNSFile(path: path)
      (payload, named) = (file.payload, file.topic)
    } else {
      payload = try options.payload.encoded()
    }
    guard let app = subject.app ?? named else {
      throw Failure(
        "\(subject.file ?? "the push") does not say which app it is for",
        hint: "name the app before the file, or in the file: \"\(APNSFile.topicKey)\": \"com.example.mail\"")
    }
    self.app = app
    isBackground = try PushContent.isBackground(payload)
  }

  private struct Form: Decodable {
    struct APS: Decodable {
      var alert: JSONValue?
      var badge: JSONValue?
      var sound: JSONValue?
      var contentAvailable: JSONValue?

      enum CodingKeys: String, CodingKey {
        case alert, badge, sound
        case contentAvailable = "content-available"
      }
    }

    var aps: APS
  }

  private static func isBackground(_ payload: [UInt8]) throws -> Bool {
    let aps = try JSONDecoder().decode(Form.self, from: Data(payload)).aps
    return aps.contentAvailable == .integer(1) && aps.alert == nil && aps.badge == nil && aps.sound == nil
  }
}
