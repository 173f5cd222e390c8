// deskbell push: a provider of its own, over the network like any other.

import ArgumentParser
import ControlAPI
import HandsetCore
import ProviderClient

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Push to an app over the network, as a provider does: HTTP/2, TLS, a signed token.",
    usage: "deskbell push [<app>] [<file>] [<options>]",
    discussion: """
      The payload is made from the options, or is an .apns file, which may name its app itself \
      ("Simulator Target Bundle").

      Where the daemon's control socket is there, device token, address and certificate authority are learned from \
      it, and without --key a key of your own is made under ~/.config/deskbell and added as provider 'local'.

      Prints status, apns-id, and the reason where the push is refused; then the exit code is 1.

      Examples:
        deskbell push com.example.mailroom --title 'A letter' --badge 1
        deskbell push com.example.mailroom --body 'From Ada' --sound default
        deskbell push com.example.mailroom --background
        deskbell push letter.apns
        deskbell push com.example.mailroom --badge 12 --count 1000
        deskbell push com.example.mailroom --body Hello --curl --ca ca.pem
        deskbell push com.example.mailroom --via 2008 --body Hello --badge 1
        deskbell push com.example.mailroom --body Hello --token 8f3a… \\
          --host bell.local --ca ca.pem \\
          --key AuthKey_F6G7H8J9K0.p8 --team A1B2C3D4E5
      """)

  enum Limits {
    static let count = 1_000_000
    /// Pushes that wait for their answer at the same time.
    static let inFlight = 256
  }

  @Argument(help: ArgumentHelp("The app, and the .apns file.", valueName: "app|file"))
  var words: [String] = []
  @OptionGroup(title: "Payload") var payload: PayloadOptions

  @Option(help: ArgumentHelp("A later push of the same identifier takes this one's place.", valueName: "id"))
  var collapseID: String?
  @Option(help: ArgumentHelp("10, 5 or 1.", valueName: "number"))
  var priority: Int?
  @Option(help: ArgumentHelp("Until when it is kept, in seconds since 1970; 0 tries once.", valueName: "seconds"))
  var expiration: Int64?
  @Option(help: ArgumentHelp("Its identifier, a UUID. Default: the server makes one.", valueName: "uuid"))
  var id: String?
  @Option(help: ArgumentHelp("alert, background, … Default: as the payload is.", valueName: "type"))
  var pushType: String?
  @Option(help: ArgumentHelp("Push it so many times, over one connection.", valueName: "number"))
  var count = 1
  @Flag(help: "Print it as a curl command line, good for an hour, instead of sending it. Needs --ca.")
  var curl = false

  @OptionGroup(title: "Server and credential") var target: TargetOptions
  @OptionGroup(title: "The 2008 service") var publishing: PublishingOptions
  @OptionGroup var json: JSONOption
  @OptionGroup var control: ControlOptions

  func validate() throws {
    let subject = try PushSubject(words)
    try publishing.validate(payload, file: subject.file, others: optionsOfProviderAPI)
    if subject.file != nil && !payload.isEmpty {
      throw ValidationError("\(subject.file ?? "") is the payload: leave out --title and the like, or the file.")
    }
    if subject.file == nil && payload.isEmpty {
      throw ValidationError(
        "Nothing to push: give --title, --body, --badge, --sound or --background, or an .apns file.")
    }
    if subject.file == nil && subject.app == nil { throw ValidationError("Which app? Name it before the options.") }
    guard (1...Limits.count).contains(count) else { throw ValidationError("--count is 1 to \(Limits.count).") }
    if curl && count > 1 { throw ValidationError("--curl prints one push, and --count sends \(count).") }
    if curl && json.isWanted { throw ValidationError("--curl prints a command line, not JSON.") }
    if count > 1 && id != nil { throw ValidationError("--id names one push, and --count sends \(count).") }
  }

  func run() async throws {
    let environment = Environment.ofProcess
    if publishing.isWanted { return try await publish(environment) }
    let content = try PushContent(PushSubject(words), payload)
    let target = try await PushTarget(
      app: content.app, target.completed(from: environment), keyFolder: { try KeyFile.folder(environment) },
      client: control.client)
    let token = try ProviderToken(privateKeyPEM: target.key.pem, keyID: target.key.keyID, teamID: target.key.teamID)
    if curl {
      let options = try self.target.completed(from: environment)
      if target.authorityPEM != nil && options.ca == nil {
        throw ValidationError(
          "--curl needs --ca: save the certificate with 'deskbell ca > ca.pem', then add --ca ca.pem.")
      }
      let line = CurlLine(
        endpoint: target.endpoint, authorityFile: options.ca, bearer: try token.bearer(),
        request: request(content, to: target.token))
      return try Output.line(line.text)
    }
    let trust = target.authorityPEM.map { ProviderConnection.Trust.authorities(pem: $0) } ?? .system
    let connection = try await ProviderConnection.connect(to: target.endpoint, trust: trust, token: token)
    let accepted: Bool
    do {
      accepted = try await send(request(content, to: target.token), over: connection)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    if !accepted { throw ExitCode(Program.Exit.failed) }
  }

  private var optionsOfProviderAPI: [String] {
    [
      collapseID.map { _ in "--collapse-id" }, priority.map { _ in "--priority" },
      expiration.map { _ in "--expiration" }, id.map { _ in "--id" }, pushType.map { _ in "--push-type" },
      curl ? "--curl" : nil, target.token.map { _ in "--token" }, target.key.map { _ in "--key" },
      target.keyID.map { _ in "--key-id" }, target.team.map { _ in "--team" },
      count > 1 ? "--count" : nil,
    ].compactMap { $0 }
  }

  private func publish(_ environment: Environment) async throws {
    let publication = try await Publishing(
      app: PushSubject(words).app ?? "", publishing, payload, target.completed(from: environment),
      environment: environment, folder: { try KeyFile.folder(environment) }, client: control.client)
    let trust = publication.authorityPEM.map { ProviderConnection.Trust.authorities(pem: $0) } ?? .system
    let connection = try await ProviderConnection.connect(to: publication.endpoint, trust: trust, token: nil)
    let answer: PushAnswer
    do {
      answer = try await publication.send(over: connection)
    } catch {
      await connection.close()
      throw error
    }
    await connection.close()
    if json.isWanted { try Output.json(AnswerReport(answer)) } else { try Output.line(PushWords.answer(answer)) }
    if !answer.isAccepted { throw ExitCode(Program.Exit.failed) }
  }

  /// A push for nobody to see has low priority [APNs: a background push with priority 10 is refused].
  func request(_ content: PushContent, to token: String) -> PushRequest {
    let type = pushType ?? (content.isBackground ? PushType.background : .alert).rawValue
    return PushRequest(
      deviceToken: token, topic: content.app, pushType: type,
      priority: priority ?? (type == PushType.background.rawValue ? 5 : nil), expiration: expiration,
      collapseID: collapseID, id: id, payload: content.payload)
  }

  /// Whether every push was accepted.
  private func send(_ request: PushRequest, over connection: ProviderConnection) async throws -> Bool {
    if count == 1 {
      let answer = try await connection.send(request)
      if json.isWanted { try Output.json(AnswerReport(answer)) } else { try Output.line(PushWords.answer(answer)) }
      return answer.isAccepted
    }
    let tally = try await sendMany(request, over: connection)
    if json.isWanted { try Output.json(tally) } else { try Output.line(PushWords.tally(tally)) }
    return tally.allAccepted
  }

  private func sendMany(_ request: PushRequest, over connection: ProviderConnection) async throws -> PushTally {
    let clock = ContinuousClock()
    let start = clock.now
    var told = start
    var tally = PushTally()
    let total = count
    try await withThrowingTaskGroup(of: PushAnswer.self) { group in
      for _ in 0..<min(total, Limits.inFlight) { group.addTask { try await connection.send(request) } }
      var sent = min(total, Limits.inFlight)
      while let answer = try await group.next() {
        tally.add(answer)
        if sent < total {
          group.addTask { try await connection.send(request) }
          sent += 1
        }
        if clock.now - told > .milliseconds(200) {
          told = clock.now
          Output.progress("\(tally.count) of \(total)")
        }
      }
    }
    Output.progress("")
    tally.milliseconds = (clock.now - start).inMicroseconds / 1_000
    return tally
  }
}

/// What `--json` prints of one push.
struct AnswerReport: Encodable {
  var status: Int
  var id: String?
  var reason: String?
  /// Since when the token is gone, in milliseconds since 1970.
  var timestamp: Int64?

  init(_ answer: PushAnswer) {
    (status, id, reason, timestamp) = (answer.status, answer.apnsID, answer.reason, answer.timestamp)
  }
}
