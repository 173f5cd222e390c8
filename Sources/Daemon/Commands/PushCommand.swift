import ArgumentParser
import CommandSupport
import DeskbellDaemon
import Glibc
import HandsetCore
import ProviderClient

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Push to an app over the network, as a provider does.",
    usage: "deskbell push [<app>] [<file> ...] [<app>] [<options>]",
    discussion: """
      The payload comes from the options, from .apns files ("Simulator Target Bundle" in them names the app), or from \
      .jsonl files with one payload per line. A message from the options rings with the default sound.

      If a daemon runs on this machine, it supplies the device token, address and certificate authority. Without \
      --key, a key is created in ~/.config/deskbell and added as provider 'local'.

      Temporary failures (429, 500, 503, lost connections) are retried with growing delays, or after Retry-After if \
      the server sends it. An expired provider token is signed again once. After 410, that token is skipped. Other \
      errors are not retried.

      Prints the status, the apns-id and the reason of a rejection, for a local daemon also the outcome; for many pushes \
      the total time, a count of each answer, and the median and 99th percentile latency. Exits with 0 if all were \
      accepted, with --must-ring only if the push also rang; else with 1.

      A push has priority 10, or 5 if it is a background update, and expires after 30 days, unless the options say \
      otherwise.

      From another machine, --provider names the folder that 'deskbell setup' wrote: server, key, authority and token.

      Examples:
        deskbell push com.example.mailroom --title 'A letter' --badge 1
        deskbell push com.example.mailroom --body 'From Ada' --sound letter
        deskbell push com.example.mailroom --background
        deskbell push com.example.mailroom --body Dinner --handset kitchen
        deskbell push com.example.mailroom --body Dinner --must-ring
        deskbell push com.example.mailroom --body 'Read it later' --sound none
        deskbell push com.example.mailroom --body Pump \\
          --custom '{"deskbell": {"repeat": {"every": 60, "times": 30}}}'
        deskbell push --provider deskbell-provider/ --body 'From afar'
        deskbell push com.example.mailroom --payload - < payload.json
        deskbell push letter.apns parcel.apns
        deskbell push letter.apns com.example.mailroom
        deskbell push com.example.mailroom letters.jsonl --rate 20/s
        deskbell push com.example.mailroom --badge 12 --repeat 1000 --json
        deskbell push com.example.mailroom --body Hello --curl --ca ca.pem
        deskbell push com.example.mailroom --via 2008 --body Hello --badge 1
        deskbell push com.example.mailroom --via 2008 --badge 1 --repeat 9 --rate 3/s
        deskbell push com.example.mailroom --body Hello --token 8f3a… \\
          --host bell.local --ca ca.pem \\
          --key AuthKey_F6G7H8J9K0.p8 --team A1B2C3D4E5
      """)

  enum Limits {
    static let count = 1_000_000
    static let retries = 20
  }

  @Argument(help: ArgumentHelp("The app, and .apns or .jsonl files.", valueName: "app|file"), completion: .apps)
  var words: [String] = []
  @Option(
    name: .customLong("payload"),
    help: ArgumentHelp("A file with the whole payload, JSON; - reads standard input.", valueName: "file"))
  var payloadFile: String?
  @OptionGroup(title: "Payload") var payload: PayloadOptions

  @Option(help: ArgumentHelp("A later push with the same identifier replaces this one.", valueName: "id"))
  var collapseID: String?
  @Option(help: ArgumentHelp("10, 5 or 1. Default: 10, 5 for a background update.", valueName: "number"))
  var priority: Int?
  @Option(
    help: ArgumentHelp(
      "Unix time at which an undelivered push expires; 0 = deliver now or never. Default: in 30 days.",
      valueName: "seconds"))
  var expiration: Int64?
  @Option(help: ArgumentHelp("The push's identifier, a UUID. Default: the server creates one.", valueName: "uuid"))
  var id: String?
  @Option(help: ArgumentHelp("alert, background, … Default: determined by the payload.", valueName: "type"))
  var pushType: String?
  @Option(
    name: [.customLong("repeat"), .customLong("count")],
    help: ArgumentHelp("Repeat this many times.", valueName: "number"))
  var count = 1
  @Option(help: ArgumentHelp("Send at most this many per second: 20, 0.5 or 20/s.", valueName: "number"))
  var rate: PushRate?
  @Option(help: ArgumentHelp("Retry a push at most this many times; 0 = never.", valueName: "number"))
  var retries = RetryPolicy().attempts - 1
  @Flag(
    help:
      "Print a curl command line, valid for one hour, instead of sending. Needs --ca unless the server has your own certificate."
  )
  var curl = false

  @Flag(help: "Fail unless it rings: its sound is played.")
  var mustRing = false
  /// True to print nothing about accepted pushes: for a command that also pushes.
  var isQuiet = false

  @OptionGroup(title: "Server and credential") var target: TargetOptions
  @OptionGroup(title: "The 2008 service") var publishing: PublishingOptions
  @OptionGroup var json: JSONOption
  @OptionGroup var control: HandsetOptions

  func validate() throws {
    let subject = PushSubject(words)
    if mustRing && (target.host != nil || target.provider != nil) {
      throw ValidationError("--must-ring needs the daemon on this machine, which knows whether it rang.")
    }
    if payloadFile != nil && (!payload.isEmpty || !subject.files.isEmpty) {
      throw ValidationError("--payload is the payload: leave out --title and the like, and files.")
    }
    // The options of the provider API.
    let others: [String] = [
      collapseID.map { _ in "--collapse-id" }, priority.map { _ in "--priority" },
      expiration.map { _ in "--expiration" }, id.map { _ in "--id" }, pushType.map { _ in "--push-type" },
      curl ? "--curl" : nil, target.token.map { _ in "--token" }, target.key.map { _ in "--key" },
      target.keyID.map { _ in "--key-id" }, target.team.map { _ in "--team" },
    ].compactMap { $0 }
    try publishing.validate(payload, file: subject.files.first, others: others)
    if let file = subject.files.first, !payload.isEmpty {
      throw ValidationError("\(file) is the payload: leave out --title and the like, or the file.")
    }
    if subject.files.isEmpty && payload.isEmpty && payloadFile == nil {
      throw ValidationError(
        "Nothing to push: give --title, --body, --badge, --sound or --background, or an .apns file.")
    }
    if subject.files.isEmpty && subject.app == nil && target.provider == nil {
      throw ValidationError("Which app? Name it before the options.")
    }
    guard (1...Limits.count).contains(count) else { throw ValidationError("--repeat is 1 to \(Limits.count).") }
    guard (0...Limits.retries).contains(retries) else { throw ValidationError("--retries is 0 to \(Limits.retries).") }
    let isMany = count > 1 || subject.files.count > 1 || subject.files.contains(where: PushSubject.hasLines)
    if mustRing && (isMany || curl) { throw ValidationError("--must-ring is for one push that is sent.") }
    if curl && isMany { throw ValidationError("--curl prints one push, and these are many.") }
    if curl && json.isWanted { throw ValidationError("--curl prints a command line, not JSON.") }
    if isMany && id != nil { throw ValidationError("--id names one push, and these are many.") }
  }

  /// Pushes for another command, as `deskbell push` does with these options. Prints nothing if the push is accepted.
  /// - Parameters:
  ///   - app: the app that the user named; nil for the command's own, which is created the first time.
  ///   - provider: the folder of a provider, to ring another machine; nil for the daemon of this one.
  static func ring(
    _ options: [String], app: String?, own: (id: String, name: String), provider: String?, _ control: HandsetOptions
  ) async throws {
    var words = ["push"]
    if let provider {
      words += [app].compactMap(\.self) + ["--provider=\(provider)"]
    } else {
      let client = try control.client()
      if app == nil, try await !client.apps().contains(where: { $0.id == own.id }) {
        _ = try await AppCommand.make(own.id, named: own.name, client)
      }
      words.append(app ?? own.id)
    }
    words += options
    if let socket = control.control.socket { words.append("--control=\(socket)") }
    if let handset = control.name { words.append("--handset=\(handset)") }
    guard var command = try Deskbell.parseAsRoot(words) as? PushCommand else { return }
    command.isQuiet = true
    try await command.run()
  }

  func run() async throws {
    let environment = Environment.ofProcess
    if publishing.isWanted { return try await publish(environment) }
    let options = try target.completed(from: environment)
    var subject = PushSubject(words)
    if subject.app == nil && subject.files.isEmpty { subject.app = try target.provider.map(ProviderFolder.read)?.topic }
    let contents = try PushContent.all(subject, payload, file: payloadFile)
    guard contents.count <= Limits.count / count else {
      throw Failure("these are \(contents.count) × \(count) pushes", hint: "send at most \(Limits.count) at a time")
    }
    let targets = try await targets(for: contents, options, environment)
    guard let first = contents.first, let target = targets[first.app] else { return }
    let clock = options.host == nil ? try await control.client().clock() : nil
    let token = try signer(target.key, clock)
    let now = clock.map { WallTime(microseconds: $0.wallMicroseconds) } ?? WallTime(seconds: Int64(time(nil)))
    let end = now.advanced(by: Policy.defaultExpiration).microseconds / 1_000_000
    if curl {
      if case .authorities = target.identity.trust, options.ca == nil {
        throw ValidationError(
          "--curl needs --ca: save the certificate with 'deskbell ca > ca.pem', then add --ca ca.pem.")
      }
      let (endpoint, connectingTo, authorityFile) = target.identity.named(target.endpoint)
      let line = CurlLine.text(
        of: request(first, to: target.token, end: end), to: endpoint, connectingTo: connectingTo,
        authorityFile: options.ca ?? authorityFile, bearer: try token.bearer())
      return try Output.line(line.printableJSON)
    }
    let sender = sender(to: target.endpoint, trust: target.identity.trust, token: token)
    let requests = contents.map { request($0, to: targets[$0.app]?.token ?? target.token, end: end) }
    try await finish(sender) {
      try await send(requests.count * count, isLocal: options.host == nil) {
        try await sender.send(requests[$0 % requests.count])
      }
    }
  }

  /// Returns the maker of tokens. A daemon on this machine may judge them by its virtual clock.
  private func signer(_ key: SigningKey, _ clock: ClockReport?) throws -> ProviderTokenSigner {
    guard let clock, clock.all == true else {
      return try ProviderTokenSigner(privateKeyPEM: key.pem, keyID: key.keyID, teamID: key.teamID)
    }
    return try ProviderTokenSigner(privateKeyPEM: key.pem, keyID: key.keyID, teamID: key.teamID) {
      clock.wallMicroseconds / 1_000_000
    }
  }

  /// Returns the target for each app's pushes. They differ in their device token only.
  private func targets(
    for contents: [PushContent], _ options: TargetOptions, _ environment: Environment
  ) async throws -> [String: PushTarget] {
    var targets: [String: PushTarget] = [:]
    for app in contents.map(\.app) where targets[app] == nil {
      if options.token != nil, let other = targets.keys.first {
        throw ValidationError("--token is one app's, and these pushes are for \(other) and \(app).")
      }
      targets[app] = try await PushTarget(
        app: app, options, keyFolder: { try KeyFile.folder(environment) }, client: control.client)
    }
    return targets
  }

  private func publish(_ environment: Environment) async throws {
    let app = PushSubject(words).app ?? ""
    let completed = try target.completed(from: environment)
    let passwordFile = publishing.passwordFile ?? environment["DESKBELL_PASSWORD_FILE"]
    let device = publishing.device ?? environment["DESKBELL_DEVICE"]
    let needsDaemon = completed.host == nil || device == nil || passwordFile == nil
    let daemon = needsDaemon ? try control.client() : nil
    let password: String
    if let passwordFile {
      password = try PasswordFile.password(at: passwordFile)
    } else {
      password = try PasswordFile.local(in: KeyFile.folder(environment))
      if let daemon { try await PushCommand.ensureProvider(password, for: app, daemon) }
    }
    let user = PublishingUser(name: app, password: password)
    let known = try await daemon?.state()
    let node = PublishingCall.Node(
      publisher: app, device: device ?? known?.deviceID ?? "", name: publishing.node ?? PublishingOptions.defaultNode)
    let endpoint = try completed.endpoint(listening: known?.pushAddress)
    let identity = try await PortIdentity(completed, daemon)
    let message = payload.message
    let list = PropertyList(
      body: message.body, showsOpenButton: publishing.noOpenButton ? false : nil, badge: message.badge,
      sound: message.sound
    ).encoded()
    let sender = sender(to: endpoint, trust: identity.trust, token: nil)
    try await finish(sender) {
      let made = try await sender.send(.create(node), as: user)
      guard made.answer.isAccepted else {
        try show(made, nil)
        return false
      }
      return try await send(count, isLocal: target.host == nil) { _ in
        try await sender.send(.publish(list, through: node), as: user)
      }
    }
  }

  private static func ensureProvider(_ password: String, for app: String, _ daemon: ControlClient) async throws {
    let name = "local-2008"
    let providers = try await daemon.providers()
    let known = providers.first { $0.name == name }
    if known?.apps.contains(app) == true { return }
    if let other = providers.first(where: { $0.credential == "password" && $0.apps.contains(app) }) {
      throw Failure("provider '\(other.name)' has the password for \(app)", hint: "give it with --password-file")
    }
    var request = ProviderRequest(apps: (known?.apps ?? []) + [app])
    request.password = password
    _ = try await daemon.setProvider(name, request)
  }

  private func sender(
    to endpoint: Endpoint, trust: ProviderConnection.Trust, token: ProviderTokenSigner?
  ) -> PushSender {
    var policy = RetryPolicy()
    policy.attempts = retries + 1
    return PushSender(
      to: endpoint, trust: trust, token: token, policy: policy, willRetry: { Output.progress(PushCommand.retry($0)) })
  }

  /// Connects, sends the pushes, and closes the connection.
  /// - Parameter send: returns true if every push was accepted.
  /// - Throws: `ExitCode` otherwise.
  private func finish(_ sender: PushSender, _ send: () async throws -> Bool) async throws {
    try await sender.connect()
    let accepted: Bool
    do {
      accepted = try await send()
    } catch {
      Output.progress("")
      await sender.close()
      throw error
    }
    await sender.close()
    if !accepted { throw ExitCode(Program.Exit.failed) }
  }

  /// Makes the request. A push that shows nothing has low priority [APNs: background with priority 10 is refused].
  /// - Parameter end: the expiration if no option says it, in seconds since 1970.
  func request(_ content: PushContent, to token: String, end: Int64) -> PushRequest {
    let type = pushType ?? (content.isBackground ? PushType.background : .alert).rawValue
    return PushRequest(
      deviceToken: token, topic: content.app, pushType: type,
      priority: priority ?? (type == PushType.background.rawValue ? 5 : 10), expiration: expiration ?? end,
      collapseID: collapseID, id: id, payload: content.payload)
  }

  /// Returns true if every push was accepted.
  private func send(
    _ total: Int, isLocal: Bool, _ push: @escaping @Sendable (Int) async throws -> PushReceipt
  ) async throws -> Bool {
    if total == 1 {
      let receipt = try await push(0)
      let explanation = isLocal && receipt.answer.isAccepted ? try await explanation(of: receipt) : nil
      try show(receipt, explanation)
      guard mustRing else { return receipt.answer.isAccepted }
      return receipt.answer.isAccepted && explanation?.rang == true
    }
    var tally = PushTally()
    do {
      try await tally.run(total, rate: rate, push)
    } catch {
      // The results of the other pushes are also of interest.
      try show(tally)
      throw error
    }
    try show(tally)
    return tally.allAccepted
  }

  /// Returns the outcome; nil if the journal of this daemon does not have the push, or the answer no identifier.
  /// - Throws: an error if the user asked for the outcome.
  private func explanation(of receipt: PushReceipt) async throws -> ExplanationReport? {
    do {
      guard let id = receipt.answer.apnsID else { return nil }
      return try await control.client().explanation(of: id)
    } catch {
      if mustRing { throw error }
      return nil
    }
  }

  private func show(_ receipt: PushReceipt, _ explanation: ExplanationReport?) throws {
    Output.progress("")
    if isQuiet && receipt.answer.isAccepted { return }
    let answer = receipt.answer
    let report = AnswerReport(
      status: answer.status, id: answer.apnsID, reason: answer.reason, timestamp: answer.timestamp,
      attempts: receipt.attempts, rang: explanation?.rang, summary: explanation?.summary)
    try json.print(report) { _ in
      PushCommand.answer(answer) + (explanation.map { "\n" + $0.summary } ?? "")
    }
  }

  private func show(_ tally: PushTally) throws {
    Output.progress("")
    try json.print(tally, PushCommand.tally)
  }

  /// Returns `200  7b2e…`, and the reason of a refusal.
  static func answer(_ answer: PushAnswer, _ clock: ClockFace = .local) -> String {
    var words = ["\(answer.status)", answer.apnsID ?? "no apns-id"]
    if let reason = answer.reason { words.append(reason) }
    if let since = answer.timestamp {
      let (microseconds, overflow) = since.multipliedReportingOverflow(by: 1_000)
      if !overflow { words.append("since \(clock.dateAndTime(microseconds))") }
    }
    return words.joined(separator: "  ")
  }

  static func tally(_ tally: PushTally) -> String {
    let milliseconds = max(1, tally.milliseconds)
    let rate = Int64(tally.count) * 1_000 / milliseconds
    var results = tally.results.map { "\($0.count) × \($0.status)" + ($0.reason.map { " \($0)" } ?? "") }
    if tally.notSent > 0 { results.append("\(tally.notSent) not sent, their token is gone") }
    var line =
      "\(counted(tally.count, "push", plural: "pushes")) in \(decimal(milliseconds, places: 2)) s "
      + "(\(rate)/s): " + results.joined(separator: ", ")
    if tally.retries > 0 { line += "; \(counted(tally.retries, "retry", plural: "retries"))" }
    if let latency = tally.latency {
      let (p50, p99) = (latency.p50Microseconds, latency.p99Microseconds)
      line += "; p50 \(decimal(p50, places: 1)) ms, p99 \(decimal(p99, places: 1)) ms"
    }
    return line
  }

  /// Returns the line for a terminal while it waits.
  static func retry(_ retry: PushSender.Retry) -> String {
    "\(retry.problem): try \(retry.attempt) in \(decimal(retry.pause.inMicroseconds / 1_000, places: 1)) s"
  }
}

/// The output of `--json` for one push.
struct AnswerReport: Encodable {
  var status: Int
  var id: String?
  var reason: String?
  /// The time since which the token is gone, in milliseconds since 1970.
  var timestamp: Int64?
  var attempts: Int
  /// True if its sound was played; absent if that is not known here. `summary` has the reason.
  var rang: Bool?
  var summary: String?
}
