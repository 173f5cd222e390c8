import ArgumentParser
import CommandSupport
import FoundationEssentials
import HTTP
import HandsetCore
import ProviderClient

/// The content of a push or a local notification.
struct MessageOptions: ParsableArguments {
  @Option(help: "The message's title.")
  var title: String?
  @Option(help: "The line below the title.")
  var subtitle: String?
  @Option(help: "The message text.")
  var body: String?
  // A number with a minus is also read as a value, so that the refusal can explain it.
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The number on the app's icon; 0 clears it.", valueName: "number"))
  var badge: Int?
  @Option(
    name: .customLong("sound"),
    help: ArgumentHelp(
      "The name of a sound in the app's bundle, 'default', or 'none'. Default: 'default' with a message.",
      valueName: "name"))
  var soundName: String?

  func validate() throws { try AppCommand.requireBadge(badge) }

  var isEmpty: Bool { !hasText && badge == nil && sound == nil }

  /// The requested sound; nil for none. A badge alone is silent.
  var sound: String? {
    switch soundName {
    case "none": nil
    case nil: hasText ? "default" : nil
    case let name: name
    }
  }

  private var hasText: Bool { title != nil || subtitle != nil || body != nil }
}

struct PresentationOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The interruption level.", valueName: "level"))
  var level: InterruptionLevel?
  @Option(help: ArgumentHelp("The thread; notifications with the same one are grouped.", valueName: "id"))
  var thread: String?
}

/// The payload's options, for `deskbell push` without a file.
struct PayloadOptions: ParsableArguments {
  @OptionGroup var message: MessageOptions
  @Flag(help: "A background update: content-available, and low priority if it shows and plays nothing.")
  var background = false
  @OptionGroup var presentation: PresentationOptions
  @Option(help: ArgumentHelp("The category of the app's manifest whose actions are offered.", valueName: "id"))
  var category: String?
  @Option(help: ArgumentHelp("The app's own keys, beside aps: a JSON object.", valueName: "json"))
  var custom: String?

  var isEmpty: Bool {
    message.isEmpty && !background && presentation.level == nil && presentation.thread == nil && category == nil
      && custom == nil
  }

  /// - Throws: `ProviderClientError` if the custom keys are no JSON object, or contain `aps`.
  func payload() throws -> Payload {
    var payload = Payload()
    payload.title = message.title
    payload.subtitle = message.subtitle
    payload.body = message.body
    payload.badge = message.badge
    payload.sound = message.sound
    payload.contentAvailable = background
    payload.interruptionLevel = presentation.level?.rawValue
    payload.threadID = presentation.thread
    payload.category = category
    if let custom { try payload.add(customJSON: custom) }
    return payload
  }
}

extension InterruptionLevel: ExpressibleByArgument {}

/// An app and files, either of which may be omitted.
struct PushSubject: Equatable {
  var app: String?
  var files: [String] = []

  /// Reads words. The first is a file if it looks like one: a path, or a name that ends in `.apns`, `.json`, `.jsonl`
  /// or `.ndjson`; then the last may be the app. All others are files.
  init(_ words: [String]) {
    files = words
    guard let first = words.first, let last = words.last else { return }
    if !PushSubject.isFile(first) {
      app = files.removeFirst()
    } else if !PushSubject.isFile(last) {
      app = files.removeLast()
    }
  }

  private static func isFile(_ word: String) -> Bool {
    word.contains("/") || word.hasSuffix(".apns") || word.hasSuffix(".json") || hasLines(word)
  }

  /// Returns true if the file has many payloads, one on each line.
  static func hasLines(_ path: String) -> Bool { path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") }
}

struct PushContent: Equatable {
  var app: String
  var payload: [UInt8]
  /// True if nothing in it is shown to a user [APNs: push type `background`].
  var isBackground: Bool

  /// Returns the contents to send, in order: the files' payloads, or the one of the options.
  /// - Throws: `Failure`, `ProviderClientError`.
  /// - Parameter file: the payload's file; `-` for standard input.
  static func all(_ subject: PushSubject, _ options: PayloadOptions, file: String? = nil) throws -> [PushContent] {
    if let file {
      return [
        try PushContent(
          app: subject.app, payload: APNSFile(path: file == "-" ? "/dev/stdin" : file).payload, path: file)
      ]
    }
    if subject.files.isEmpty { return [try PushContent(app: subject.app, payload: options.payload().encoded())] }
    return try subject.files.flatMap { path in
      let files = try PushSubject.hasLines(path) ? APNSFile.lines(path: path) : [APNSFile(path: path)]
      return try files.map { try PushContent(app: subject.app ?? $0.topic, payload: $0.payload, path: path) }
    }
  }

  private init(app: String?, payload: [UInt8], path: String? = nil) throws {
    guard let app else {
      throw Failure(
        "\(path ?? "the push") does not say which app it is for",
        hint: "name the app before the file, or in the file: \"\(APNSFile.topicKey)\": \"com.example.mail\"")
    }
    self.app = app
    self.payload = payload
    isBackground = try PushContent.isBackground(payload)
  }

  private static func isBackground(_ payload: [UInt8]) throws -> Bool {
    let object = try JSONDecoder().decode([String: JSONValue].self, from: Data(payload))
    guard case .object(let aps)? = object["aps"] else { return false }
    return aps["content-available"] == .integer(1)
      && ["alert", "badge", "sound"].allSatisfy { aps[$0] ?? .null == .null }
  }
}
