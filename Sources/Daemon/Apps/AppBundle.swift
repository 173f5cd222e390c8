// An app is installed from a folder: its name, its permissions, its sounds, and its messages in other languages. All of
// it is read, checked and converted before any of it is installed.

import AppLink
import HandsetCore
import Speaker
import StrictYAML
import WebCalls

struct AppBundle: Sendable {
  enum Limits {
    static let files = 256
    static let bytes = 48 * 1024 * 1024
  }

  var manifest: AppManifest
  /// The programs that open and wake it, without a folder.
  var programs: AppPrograms
  /// The sounds that were not converted before.
  var sounds: [(name: String, sound: SoundFile)] = []
  /// The paths of its icon and launch images.
  var pictures: [String] = []
  var notes: [String] = []

  /// - Parameters:
  ///   - files: the contents by path within the folder, with `/`.
  ///   - language: the language of the strings; `en` if the bundle does not have it.
  ///   - isConverted: true if the sound was converted before, when the same bundle was installed.
  /// - Throws: every line that is wrong.
  init(
    files: [String: [UInt8]], folder: String, language: String, decoder: SoundDecoder = .child,
    isConverted: (String) -> Bool = { _ in false }
  ) throws(StrictYAMLError) {
    let path = "\(folder)/app.yaml"
    func refuse(_ message: String) -> StrictYAMLError {
      StrictYAMLError(diagnostics: [Diagnostic(message, at: SourcePosition(file: path, line: 1, column: 1))])
    }
    guard files.count <= Limits.files else {
      throw refuse("the bundle has \(files.count) files: at most \(Limits.files) are allowed")
    }
    let bytes = files.values.reduce(0) { $0 + $1.count }
    guard bytes <= Limits.bytes else {
      throw refuse("the bundle has \(bytes) bytes: at most \(Limits.bytes) are allowed")
    }
    guard let manifestFile = files["app.yaml"] else {
      throw refuse("there is no app.yaml in the folder; it names the app: id, name")
    }
    (manifest, programs) = try AppBundle.manifest(YAMLDocument.parse(manifestFile, file: path), files: Set(files.keys))
    manifest.strings = try AppBundle.strings(files, folder: folder, language: language)
    readSounds(files, decoder, isConverted)
    readPictures(files)
    // A command may use any other file of its bundle.
    for path in files.keys.sorted() where !programs.haveCommand && !AppBundle.isKnown(path) {
      notes.append(
        "\(path): not used; a bundle has app.yaml, icon.png, launch-images/, sounds/ and strings/LANGUAGE.yaml")
    }
  }

  private static func manifest(
    _ document: YAMLDocument, files: Set<String>
  ) throws(StrictYAMLError) -> (AppManifest, AppPrograms) {
    try document.decode { root in
      let id = root.required("id") { node in
        guard let id = AppID(try node.string(bytes: 1...Policy.appIDLimit)) else {
          throw node.diagnostic(
            "expected a bundle identifier: letters, digits, dots and dashes, as in com.example.mail")
        }
        return id
      }
      let name = root.required("name") { try $0.string(bytes: 1...Policy.appNameLimit) }
      let modes = root.list("background-modes", required: false) {
        try $0.choice(of: ["remote-notification"] + PushType.backgroundModes)
      }
      let actionTitle = root.optional("action-title") { try $0.string(bytes: 1...Policy.appNameLimit) }
      let lamp = root.optional("lamp", lampPattern)
      let foreground =
        root.list("foreground-presentation", required: false) {
          try $0.choice(of: NotificationKinds.all.names)
        } ?? []
      let acknowledge = root.optional("acknowledge") { node in
        let url = try node.string(bytes: 1...Policy.callURLLimit)
        do throws(CallFailure) {
          _ = try CallTarget(url, from: .manifest)
        } catch {
          throw node.diagnostic("cannot be called: \(error)")
        }
        return url
      }
      let broadcast = root.optional("broadcast", default: false) { try $0.boolean() }
      let categories = AppBundle.categories(root)
      let liveActivity = AppBundle.liveActivity(root)
      let programs = AppBundle.programs(root, files: files)
      guard let id, let name else { return nil }
      var manifest = AppManifest(
        id: id, name: name, receivesBackgroundUpdates: modes?.contains("remote-notification") == true,
        actionTitle: actionTitle,
        lampPattern: lamp,
        foregroundPresentation: (NotificationKinds(names: foreground) ?? []).intersection(.all),
        hasPrograms: programs.openOrWake)
      manifest.acknowledge = acknowledge
      manifest.hasBroadcasts = broadcast
      manifest.categories = categories
      manifest.liveActivity = liveActivity
      manifest.hasNotificationProgram = programs.notification != nil
      manifest.hasServiceExtension = programs.serviceExtension != nil
      manifest.pushTypes = modes.map { $0.compactMap { PushType(backgroundMode: $0) } }
      return (manifest, programs)
    }
  }

  private static func strings(
    _ files: [String: [UInt8]], folder: String, language: String
  ) throws(StrictYAMLError) -> [String: String] {
    var chosen: [String: String] = [:]
    // All are checked, also those of other languages: the author should see every typo.
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) where isStrings(path) {
      let document = try YAMLDocument.parse(bytes, file: "\(folder)/\(path)", emptyAsMapping: true)
      var strings: [String: String] = [:]
      var size = 0
      do throws(Diagnostic) {
        for entry in try document.root.entries(count: 0...Policy.appStringLimit) {
          let text = try entry.value.string()
          strings[entry.key] = text
          size += entry.key.utf8.count + text.utf8.count
        }
        guard size <= Policy.appStringBytesLimit else {
          throw document.root.diagnostic("\(size) bytes: at most \(Policy.appStringBytesLimit) are allowed")
        }
      } catch {
        throw StrictYAMLError(diagnostics: [error])
      }
      if path == "strings/\(language).yaml" || (path == "strings/en.yaml" && chosen.isEmpty) { chosen = strings }
    }
    return chosen
  }

  private mutating func readSounds(
    _ files: [String: [UInt8]], _ decoder: SoundDecoder, _ isConverted: (String) -> Bool
  ) {
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) where path.hasPrefix("sounds/") {
      let file = String(path.dropFirst("sounds/".count))
      guard !file.contains("/") else {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        notes.append("\(path): not used; it is in the subfolder \(folder)/, and sounds are in sounds/ itself")
        continue
      }
      guard let name = AppBundle.soundName(file) else {
        notes.append("\(path): not used; a sound's name is letters, digits, dots, dashes, underscores and spaces")
        continue
      }
      guard !manifest.sounds.contains(name) else {
        notes.append("\(path): not used; there is another sound of the name '\(name)'")
        continue
      }
      guard manifest.sounds.count < Policy.appSoundLimit else {
        notes.append("\(path): not used; an app has at most \(Policy.appSoundLimit) sounds")
        continue
      }
      do {
        if !isConverted(name) { sounds.append((name, try SoundFile(decoding: bytes, named: path, by: decoder))) }
        manifest.sounds.insert(name)
      } catch {
        notes.append("\(error); the default sound plays in its place (A1)")
      }
    }
  }

  private mutating func readPictures(_ files: [String: [UInt8]]) {
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      guard path == BundlePictures.icon || path.hasPrefix("\(BundlePictures.launchImages)/") else { continue }
      if !BundlePictures.isPicture(path) {
        notes.append(
          "\(path): not used; a launch image is NAME.png in launch-images/ itself, and its name is 1 to "
            + "\(Policy.launchImageNameLimit) letters, digits, dashes and underscores")
      } else if let problem = BundlePictures.problem(of: bytes) {
        notes.append("\(path): not used; \(problem)")
      } else if pictures.count(where: { $0 != BundlePictures.icon }) == Policy.launchImageLimit {
        notes.append("\(path): not used; an app has at most \(Policy.launchImageLimit) launch images")
      } else {
        pictures.append(path)
      }
    }
  }

  /// Returns the sound's name without extension; nil if it cannot be the name of a file in one folder.
  private static func soundName(_ file: String) -> String? {
    let name = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    let allowed = name.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      // Marks are part of letters in many scripts, and in all decomposed names from macOS.
      case .nonspacingMark, .spacingMark, .enclosingMark: true
      case .format: joiners.contains(scalar)
      default:
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || "-_. '’()&+·・".unicodeScalars.contains(scalar)
      }
    }
    return name.isEmpty || name.hasPrefix(".") || !allowed || name.utf8.count > Policy.appNameLimit ? nil : name
  }

  /// Zero-width characters between letters of Persian and Indian scripts.
  private static let joiners: [Unicode.Scalar] = ["\u{200C}", "\u{200D}"]

  private static func isStrings(_ path: String) -> Bool {
    path.hasPrefix("strings/") && path.hasSuffix(".yaml") && path.count { $0 == "/" } == 1
  }

  private static func isKnown(_ path: String) -> Bool {
    path == "app.yaml" || path == BundlePictures.icon || path.hasPrefix("\(BundlePictures.launchImages)/")
      || path.hasPrefix("sounds/") || isStrings(path)
  }

  // MARK: Actions of notifications (rule N15)

  /// Reads the actions that the app's notifications offer besides opening them; nil if there are none.
  private static func categories(_ root: MappingReader) -> [NotificationCategory]? {
    let categories = root.list("categories", required: false, count: 1...Policy.categoryLimit) { node in
      root.mapping(node) { category in
        let id = category.required("id") { try $0.string(bytes: 1...Policy.actionNameLimit) }
        let actions = category.list("actions", count: 1...Policy.actionLimit) { node in
          category.mapping(node) { action($0) }
        }
        guard let id, let actions else { return nil as NotificationCategory? }
        if let twice = firstTwice(actions.compactMap { $0?.id }) {
          category.report("two actions have the id '\(twice)'")
        }
        return NotificationCategory(id: id, actions: actions.compactMap(\.self))
      }
    }
    guard let known = categories?.compactMap(\.self) else { return nil }
    if let twice = firstTwice(known.map(\.id)) { root.report("two categories have the id '\(twice)'") }
    return known
  }

  private static func action(_ reader: MappingReader) -> NotificationAction? {
    let id = reader.required("id") { node in
      let id = try node.string(bytes: 1...Policy.actionNameLimit)
      guard !AlertButton.allCases.map(\.rawValue).contains(id), !id.hasPrefix("com.apple.") else {
        throw node.diagnostic("cannot be '\(id)', which has a meaning already")
      }
      return id
    }
    let title = reader.required("title") { try $0.string(bytes: 1...Policy.appNameLimit) }
    let opensApp = reader.optional("foreground", default: false) { try $0.boolean() }
    let isDestructive = reader.optional("destructive", default: false) { try $0.boolean() }
    let needsUnlock = reader.optional("authentication-required", default: false) { try $0.boolean() }
    let textInput = reader.mapping("text-input", required: false) { input in
      let button = input.required("button") { try $0.string(bytes: 1...Policy.appNameLimit) }
      let placeholder = input.optional("placeholder") { try $0.string(bytes: 1...Policy.appNameLimit) }
      return button.map { NotificationAction.TextInput(button: $0, placeholder: placeholder) }
    }
    guard let id, let title else { return nil }
    var action = NotificationAction(id: id, title: title, opensApp: opensApp, textInput: textInput)
    action.isDestructive = isDestructive
    action.needsUnlock = needsUnlock
    return action
  }

  private static func firstTwice(_ names: [String]) -> String? {
    var known: Set<String> = []
    return names.first { !known.insert($0).inserted }
  }

  // MARK: Live Activities (rule LA9)

  /// Reads `live-activity: { display: PATH }`, or `display: { countdown: PATH }`, and `lamp: PATTERN`; nil if absent.
  private static func liveActivity(_ root: MappingReader) -> LiveActivityManifest? {
    guard let node = root.node("live-activity") else { return nil }
    return root.mapping(node) { reader -> LiveActivityManifest? in
      var manifest = LiveActivityManifest()
      func path(_ node: YAMLNode) throws -> String { try node.string(bytes: 1...Policy.activityNameLimit) }
      if let shown = reader.node("display") {
        if case .mapping = shown.content {
          manifest.countdown = reader.mapping(shown) { $0.required("countdown", path) }
        } else {
          manifest.display = reader.decode(shown, path)
        }
      }
      manifest.lamp = reader.optional("lamp", lampPattern)
      return manifest
    }
  }

  /// Reads a pattern, alone or with a colour: `blink-red`.
  private static func lampPattern(_ node: YAMLNode) throws(Diagnostic) -> LampPattern {
    let name = try node.string()
    if let pattern = LampPattern(named: name) { return pattern }
    guard let dash = name.firstIndex(of: "-"), LampPattern(named: String(name[..<dash])) != nil else {
      _ = try node.choice(of: LampPattern.all.map(\.name))
      return .blink
    }
    throw node.diagnostic("must have one of these colours behind the pattern: \(LampColour.choices)")
  }

  // MARK: Programs

  /// Reads the mapping `hooks`: the commands and addresses that open and wake the app. Errors in it are reported. A
  /// missing command is found when the app is installed, not when the first push arrives.
  private static func programs(_ root: MappingReader, files: Set<String>) -> AppPrograms {
    root.mapping("hooks", required: false) { hooks in
      let launch = program("launch", in: hooks, files: files)
      let background = program("background", in: hooks, files: files)
      let notification = program("notification", in: hooks, files: files)
      let serviceExtension = program("service-extension", in: hooks, files: files)
      if ["launch", "background", "notification", "service-extension"].allSatisfy({ hooks.node($0) == nil }) {
        hooks.report("'hooks' names none of launch, background, notification and service-extension")
      }
      var programs = AppPrograms(launch: launch, background: background, notification: notification)
      programs.serviceExtension = serviceExtension
      return programs
    } ?? AppPrograms()
  }

  private static func program(_ key: String, in hooks: MappingReader, files: Set<String>) -> AppPrograms.Program? {
    guard let node = hooks.node(key) else { return nil }
    switch node.content {
    case .mapping:
      return hooks.mapping(node) { service in
        service.required("socket") { AppPrograms.Program.socket(try socketPath($0)) }
      }
    case .sequence:
      return hooks.decode(node) { AppPrograms.Program.command(try words($0, files: files)) }
    case .scalar:
      hooks.diagnostics.report(
        node.diagnostic("must be a list of words, as in [bin/fetch, --quiet], or { socket: PATH }; no shell is run"))
      return nil
    }
  }

  private static func words(_ node: YAMLNode, files: Set<String>) throws(Diagnostic) -> [String] {
    var words: [String] = []
    for item in try node.sequence(count: 1...AppLinkLimits.commandWords) {
      let word = try item.string(bytes: 1...AppLinkLimits.commandWordBytes)
      if words.isEmpty, !word.hasPrefix("/"), !files.contains(word.hasPrefix("./") ? String(word.dropFirst(2)) : word) {
        throw item.diagnostic("must be a file of the bundle, or the absolute path of a program; '\(word)' is neither")
      }
      words.append(word)
    }
    return words
  }

  private static func socketPath(_ node: YAMLNode) throws(Diagnostic) -> String {
    let path = try node.string(bytes: 1...AppLinkLimits.socketPathBytes)
    guard path.hasPrefix("/") else {
      throw node.diagnostic("must be an absolute path, as in /run/mailroom.sock")
    }
    return path
  }
}

extension AppPrograms {
  var haveCommand: Bool {
    [launch, background, notification, serviceExtension].contains { program in
      if case .command = program { true } else { false }
    }
  }
}
