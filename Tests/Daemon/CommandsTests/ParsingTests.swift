import ArgumentParser
import DeskbellDaemon
import HandsetCore
import ProviderClient
import Testing

@testable import CommandSupport
@testable import Commands

@Suite struct ParsingTests {
  @Test func sound() throws {
    #expect(try parse("sound check a.wav b.caf --json", as: SoundCommand.Check.self).files == ["a.wav", "b.caf"])
    #expect(try parse("sound play", as: SoundCommand.Play.self).words == [])
    #expect(try parse("sound play com.example.mail letter", as: SoundCommand.Play.self).words.count == 2)
    #expect(end("sound play a b c")?.message?.contains("expected [APP SOUND|SHIPPED|FILE|default]") == true)
  }

  @Test("Commands for one handset take its name; those for the installation do not")
  func handset() throws {
    #expect(try parse("state --handset kitchen", as: StateCommand.self).options.control.name == "kitchen")
    #expect(try parse("state", as: StateCommand.self).options.control.name == nil)
    let lines = [
      "events", "explain x", "settings", "conditions", "center", "press view", "sound play", "push a.b --badge 1",
      "local list", "local add a.b --id x --in 10m --title X", "local cancel a.b x", "app list", "app tokens",
      "app install d", "app uninstall a.b", "app register a.b", "app unregister a.b", "app token a.b", "app launch a.b",
      "app background a.b", "app kill a.b", "app force-quit a.b", "app badge a.b 3",
      "app present a.b --foreground none",
      "app listen a.b", "doctor",
    ]
    for line in lines { #expect(end("\(line) --handset kitchen") == nil, "\(line)") }
    for line in ["handsets", "ca", "clock", "provider list", "panel"] {
      #expect(end("\(line) --handset kitchen")?.code == 2, "\(line)")
    }
  }

  @Test func allHandsets() throws {
    #expect(try parse("app install d --all-handsets", as: AppCommand.Install.self).handsets.areMeant)
    #expect(try parse("app tokens --all-handsets --json", as: AppCommand.Tokens.self).handsets.areMeant)
    for line in ["app install d", "app tokens"] {
      #expect(
        end("\(line) --all-handsets --handset kitchen")?.message?.contains(
          "Give --handset or --all-handsets, not both.") == true)
    }
    #expect(try parse("handsets --json", as: HandsetsCommand.self).options.json.isWanted)
  }

  @Test func setupKeepsOffTheWebPanelsName() {
    #expect(
      end("setup --board simulated --provider panel-2008")?.message?.contains(
        "--provider: the name 'panel-2008' is kept for the web panel's test pushes; call the provider something else")
        == true)
  }

  @Test func serve() throws {
    let command: ServeCommand = try parse(
      "serve --config c.yaml --board simulated --state s --listen *:0 --panel off --control c.sock --name a --name b --pcm hw:0"
    )
    let options = command.options
    #expect(options.config == "c.yaml")
    #expect(options.board == "simulated")
    #expect(options.state == "s")
    #expect(options.listen == "*:0")
    #expect(options.panel == "off")
    #expect(options.control == "c.sock")
    #expect(options.names == ["a", "b"])
    #expect(options.pcm == "hw:0")
    #expect(options.wav == nil)
    #expect(try parse("serve --wav w", as: ServeCommand.self).options.wav == "w")
    #expect(try parse("serve", as: ServeCommand.self).options.names.isEmpty)
    #expect(try parse("serve --config none", as: ServeCommand.self).options.config == nil)
  }

  @Test func panel() throws {
    #expect(try parse("panel --json", as: PanelCommand.Address.self).options.json.isWanted)
    #expect(try parse("panel address --control c", as: PanelCommand.Address.self).options.control.socket == "c")
    #expect(try parse("panel password -", as: PanelCommand.Password.self).file == "-")
    #expect(try parse("panel password --remove", as: PanelCommand.Password.self).remove)
  }

  @Test func apps() throws {
    #expect(try parse("app install examples/mail", as: AppCommand.Install.self).folder == "examples/mail")
    #expect(try parse("app list --json", as: AppCommand.List.self).options.json.isWanted)
    #expect(try parse("app register a.b", as: AppCommand.Register.self).kinds == .all)
    let kinds = try parse("app register a.b --kinds badge,alert", as: AppCommand.Register.self).kinds
    #expect(kinds == [.badge, .alert])
    #expect(try parse("app token a.b --control c", as: AppCommand.Token.self).app.control.control.socket == "c")
    #expect(try parse("app force-quit a.b", as: AppCommand.ForceQuit.self).app.id == "a.b")
    #expect(try parse("app badge a.b 3", as: AppCommand.Badge.self).number == 3)
  }

  @Test func providers() throws {
    let add: ProviderCommand.Add = try parse(
      "provider add shop --apps a.b,c.d --team A1B2C3D4E5 --key-id F6G7H8J9K0 --key k.pem")
    #expect(splitList(add.apps ?? "") == ["a.b", "c.d"])
    #expect([add.name, add.team, add.keyID, add.key] == ["shop", "A1B2C3D4E5", "F6G7H8J9K0", "k.pem"])
    #expect(add.environment == nil)
    let named = "provider add shop --apps a --team A1B2C3D4E5 --key keys/AuthKey_F6G7H8J9K0.p8"
    #expect(try parse(named, as: ProviderCommand.Add.self).keyID == nil)
    #expect(try parse(named + " --environment development", as: ProviderCommand.Add.self).environment == .development)
    #expect(try parse("provider add shop --certificate c.pem", as: ProviderCommand.Add.self).certificate == "c.pem")
    let old: ProviderCommand.Add = try parse("provider add old --apps a.b --password-file -")
    #expect(old.passwordFile == "-" && old.key == nil)
    #expect(try parse("provider list", as: ProviderCommand.List.self).options.json.isWanted == false)
    #expect(try parse("provider remove shop", as: ProviderCommand.Remove.self).name == "shop")
  }

  @Test func push() throws {
    let command: PushCommand = try parse(
      "push a.b --title T --subtitle S --body 'Hello there' --badge 3 --sound bell --level critical --thread t "
        + "--category INVITATION --custom '{\"table\":7}' --collapse-id c --priority 5 --expiration 0 --id i --push-type alert --host h --port 1 --ca ca.pem "
        + "--token 00 --key k --key-id K --team T2 --control s --json")
    let content = try #require(PushContent.all(PushSubject(command.words), command.payload).first)
    #expect(
      String(decoding: content.payload, as: UTF8.self)
        == #"{"aps":{"alert":{"body":"Hello there","subtitle":"S","title":"T"},"badge":3,"#
        + #""category":"INVITATION","interruption-level":"critical","sound":"bell","thread-id":"t"},"table":7}"#)
    let request = command.request(content, to: "00", end: 7)
    #expect(request.topic == "a.b")
    #expect(request.deviceToken == "00")
    #expect(request.pushType == "alert")
    #expect(request.priority == 5)
    #expect(request.expiration == 0)
    #expect(request.collapseID == "c")
    #expect(request.id == "i")
    #expect(command.target.host == "h" && command.target.port == 1 && command.target.ca == "ca.pem")
    #expect(command.target.token == "00" && command.target.key == "k")
    #expect(command.target.keyID == "K" && command.target.team == "T2")
    #expect(command.control.control.socket == "s" && command.json.isWanted && command.count == 1)
  }

  @Test(
    "A message rings with the default sound, unless another or none is asked for; a badge is silent",
    arguments: [
      ("--title T", "default"), ("--subtitle S", "default"), ("--body B --badge 1", "default"),
      ("--body B --background", "default"), ("--body B --sound bell", "bell"), ("--body B --sound none", nil),
      ("--badge 1", nil), ("--badge 1 --sound bell", "bell"), ("--background", nil), ("--custom '{}'", nil),
    ] as [(String, String?)])
  func soundOfAMessage(_ options: String, sound: String?) throws {
    let command: PushCommand = try parse("push a.b \(options)")
    #expect(try command.payload.payload().sound == sound)
    #expect(command.payload.message.sound == sound)
  }

  /// Rule U3: a background push has priority 5; one that is also shown to the user is an alert.
  @Test func backgroundPushes() throws {
    let silent: PushCommand = try parse("push a.b --background")
    let content = try #require(PushContent.all(PushSubject(silent.words), silent.payload).first)
    #expect(String(decoding: content.payload, as: UTF8.self) == #"{"aps":{"content-available":1}}"#)
    #expect(silent.request(content, to: "", end: 7).pushType == "background")
    #expect(silent.request(content, to: "", end: 7).priority == 5)
    #expect(silent.request(content, to: "", end: 7).expiration == 7)
    let loud: PushCommand = try parse("push a.b --background --badge 0")
    let both = try #require(PushContent.all(PushSubject(loud.words), loud.payload).first)
    #expect(loud.request(both, to: "", end: 7).pushType == "alert")
    #expect(loud.request(both, to: "", end: 7).priority == 10)
    let wrong: PushCommand = try parse("push a.b --background --priority 10")
    #expect(wrong.request(content, to: "", end: 7).priority == 10)
  }

  @Test(arguments: [
    "push", "push a.b", "push --title T", "push a.b x.apns --title T", "push a.b --title T --count 0",
    "push a.b --title T --repeat 1000001", "push a.b --title T --repeat 2 --id i", "push a.b x.apns y.apns --id i",
    "push a.b x.jsonl --curl", "push a.b --title T --rate 0", "push a.b --title T --rate 5/m",
    "push a.b --title T --retries 21", "push a.b --title T --retries -1", "push a.b --badge one",
    "push a.b --title T --level urgent", "sound check", "setup --board simulated --provider panel-2008",
    "serve --pcm p --wav w", "panel password - --remove", "provider add shop --apps a --team A1B2C3D4E5 --key k.pem",
    "provider add shop --apps , --team A --key-id K --key k.pem", "provider add old --apps a.b",
    "provider add old --apps a.b --password-file p --key k.pem",
    "provider add old --apps a.b --password-file p --team T", "push a.b --sound none", "serve --log-level loud",
    "settings a.b style alert now", "settings notifications off now", "ca --json", "events --since -1", "explain",
    "delivery-log", "delivery-log 8C07 --statuses", "delivery-log 8C07 --csv", "delivery-log --statuses --csv --json",
    "center --limit 1001", "center --limit 0", "center a.b --remove 3", "check", "app badge a.b -- -1",
    "app register a.b --kinds sond", "snooze a.b --all", "snooze --for 10m", "snooze a.b --end --for 10m",
    "snooze a.b --for soon", "press view --text Yes", "press close --notification 3", "press REPLY --long",
    "center a.b --open 3", "center --open 3 --remove 3", "center --open 3 --clear", "provider add shop",
    "provider add shop --apps a",
    "provider add shop --certificate c.pem --key keys/AuthKey_F6G7H8J9K0.p8 --team T --apps a",
    "provider add shop --certificate c.pem --team T", "provider add shop --certificate c.pem --environment both",
    "provider add shop --certificate c.pem --apps ,", "provider add shop --key AuthKey_F6G7H8J9K0.p8 --team T",
    "provider add shop --key AuthKey_F6G7H8J9K0.p8 --apps a",
    "provider add shop --key AuthKey_F6G7H8J9K0.p8 --apps a --team T --environment moon",
  ])
  func refusesLinesThatMakeNoSense(_ line: String) {
    #expect(end(line)?.code == 2)
    #expect(end(line)?.complaint?.hasPrefix("deskbell: ") == true)
  }

  @Test func pushVia2008() throws {
    let command: PushCommand = try parse(
      "push a.b --via 2008 --body Hello --badge 3 --sound bell --no-open-button --node Sport --device 0d --password-file p"
    )
    let options = command.publishing
    #expect(options.isWanted && options.noOpenButton)
    #expect([options.node, options.device, options.passwordFile] == ["Sport", "0d", "p"])
    let many: PushCommand = try parse("push a.b --via 2008 --badge 1 --repeat 20 --rate 5/s --retries 2")
    #expect((many.count, many.rate?.perSecond, many.retries) == (20, 5, 2))
    #expect(try parse("push a.b --title T --count 1000000", as: PushCommand.self).count == 1_000_000)
    #expect(try parse("push a.b --badge 1", as: PushCommand.self).publishing.isWanted == false)
  }

  @Test(arguments: [
    ("push a.b --node Inbox --badge 1", "--node is the 2008 service's: add --via 2008."),
    ("push a.b --badge 1 --no-open-button", "--no-open-button is the 2008 service's: add --via 2008."),
    ("push a.b --via 2008 --title T", "The 2008 service has no --title;"),
    ("push a.b --via 2008 --body T --collapse-id c", "The 2008 service has no --collapse-id;"),
    ("push a.b --via 2008 --body T --background", "The 2008 service has no --background;"),
    ("push a.b --via 2008 --body T --key k", "The 2008 service has no --key;"),
    ("push a.b x.apns --via 2008", "x.apns is a payload of the provider API;"),
    ("push a.b --via 2008", "Nothing to push: give --body, --badge or --sound."),
    ("push a.b --via 2009 --body T", "The value '2009' is invalid for '--via <protocol>'"),
  ])
  func refusesPublicationsThatMakeNoSense(_ line: String, problem: String) {
    #expect(end(line)?.code == 2)
    #expect(end(line)?.message?.contains(problem) == true, "\(end(line)?.message ?? "")")
  }

  @Test func subjects() {
    #expect(PushSubject(["a.b"]).app == "a.b")
    for file in ["letter.apns", "./letter", "x/y", "letter.json", "letters.jsonl", "letters.ndjson"] {
      #expect(PushSubject([file]).files == [file])
      #expect(PushSubject([file]).app == nil)
      #expect(PushSubject(["a.b", file]).app == "a.b")
    }
    #expect(PushSubject(["a.b", "letter"]).files == ["letter"])
    #expect(PushSubject(["x.apns", "y.apns"]).files == ["x.apns", "y.apns"])
    #expect(PushSubject(["x.apns", "a.b"]) == PushSubject(["a.b", "x.apns"]))
    #expect(PushSubject(["a.b", "x.apns", "y.jsonl"]).files == ["x.apns", "y.jsonl"])
  }

  @Test func logLevels() throws {
    #expect(try parse("serve", as: ServeCommand.self).options.logLevel == .notice)
    for level in DaemonOptions.LogLevel.allCases {
      #expect(try parse("serve --log-level \(level.rawValue)", as: ServeCommand.self).options.logLevel == level)
    }
  }

  @Test func rates() throws {
    #expect(try parse("push a.b --title T --rate 20", as: PushCommand.self).rate?.perSecond == 20)
    #expect(try parse("push a.b --title T --rate 0.5/s", as: PushCommand.self).rate?.perSecond == 0.5)
    for text in ["100001", "0.0009", "nan", "inf", "-1", "", "/s", "1/s/s"] {
      #expect(PushRate(argument: text) == nil, "\(text)")
    }
    #expect(PushRate(argument: "4")?.due(0) == .zero)
    #expect(PushRate(argument: "4")?.due(10) == .milliseconds(2_500))
  }

  @Test func filesOfManyPayloads() throws {
    let folder = try Folder()
    let path = folder.path + "/letters.jsonl"
    let text = #"{"aps":{"alert":"1"}}"# + "\r\n\n" + #"{"aps":{"badge":2},"Simulator Target Bundle":"c.d"}"# + "\n"
    try folder.write("letters.jsonl", text)
    let all = try PushContent.all(PushSubject(["a.b", path]), PayloadOptions.parse([]))
    #expect(
      all.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"aps":{"alert":"1"}}"#, #"{"aps":{"badge":2}}"#])
    // The app on the command line overrides the file's.
    #expect(all.map(\.app) == ["a.b", "a.b"])
    let nameless = Failure(
      "\(path) does not say which app it is for",
      hint: #"name the app before the file, or in the file: "Simulator Target Bundle": "com.example.mail""#)
    #expect(throws: nameless) { try PushContent.all(PushSubject([path]), PayloadOptions.parse([])) }
    try folder.write("letters.jsonl", #"{"aps":{}}"# + "\n\n[]\n")
    let wrong = ProviderClientError.badFile(path: path + ":3", reason: "this is JSON, but no object {…}")
    #expect(throws: wrong) { try PushContent.all(PushSubject(["a.b", path]), PayloadOptions.parse([])) }
    try folder.write("letters.jsonl", "\n \n")
    let empty = ProviderClientError.badFile(path: path, reason: "it holds no lines; each is a payload in JSON")
    #expect(throws: empty) { try PushContent.all(PushSubject(["a.b", path]), PayloadOptions.parse([])) }
  }

  @Test func settings() throws {
    func subject(_ line: String) throws -> SettingsCommand.Subject {
      try parse(line, as: SettingsCommand.self).subject
    }
    #expect(try subject("settings") == .init())
    #expect(try subject("settings notifications") == .init(key: "notifications"))
    #expect(try subject("settings badge-shows sum") == .init(key: "badge-shows", value: "sum"))
    #expect(try subject("settings a.b") == .init(app: "a.b"))
    #expect(try subject("settings a.b style alert") == .init(app: "a.b", key: "style", value: "alert"))
    #expect(
      end("settings notificatoins off")?.message?.contains(
        "'notificatoins' is neither a setting of the handset nor an app; did you mean 'notifications'?") == true)
  }

  @Test func theRest() throws {
    #expect(try parse("state --json", as: StateCommand.self).options.json.isWanted)
    #expect(try parse("ca --control c", as: CACommand.Show.self).control.socket == "c")
    let pin: CACommand.Show = try parse("ca --pin --json")
    #expect(pin.pin && pin.json)
    #expect(try parse("ca renew --json", as: CACommand.Renew.self).options.json.isWanted)
    let events: EventsCommand = try parse("events --follow --since 12")
    #expect(events.follow && events.since == 12)
    #expect(try parse("explain 8C07 --json", as: ExplainCommand.self).push == "8C07")
    #expect(try parse("delivery-log 8C07 --json", as: DeliveryLogCommand.self).push == "8C07")
    #expect(try parse("delivery-log --statuses --csv", as: DeliveryLogCommand.self).csv)
    let center: CenterCommand = try parse("center a.b --limit 1000 --clear")
    #expect(center.app == "a.b" && center.limit == 1000 && center.clear)
    #expect(try parse("center --remove 3", as: CenterCommand.self).remove == 3)
    let snooze: SnoozeCommand = try parse("snooze a.b --for 1h30m")
    #expect(snooze.app == "a.b" && snooze.time?.seconds == 5_400 && !snooze.all && !snooze.end)
    let focus: FocusCommand.Set = try parse("focus set work --allow a.b,c.d --filter a.b=x,y --no-time-sensitive")
    #expect(focus.name == "work" && focus.allow == "a.b,c.d" && !focus.timeSensitive && focus.hours == nil)
    #expect(try focus.filters() == ["a.b": ["x", "y"]])
    #expect(try parse("app register a.b --provisional", as: AppCommand.Register.self).provisional)
    #expect(try parse("press view", as: PressCommand.self).button == "view")
    let reply: PressCommand = try parse("press REPLY --text Yes --notification 17")
    #expect(reply.button == "REPLY" && reply.text == "Yes" && reply.notification == 17)
    #expect(try parse("center --open 3", as: CenterCommand.self).open == 3)
    #expect(try parse("check a.yaml b", as: CheckCommand.self).files == ["a.yaml", "b"])
  }

  @Test func usageSaysHowItIsMeant() {
    let press = end("press")
    #expect(press?.code == 2)
    #expect(press?.complaint?.hasPrefix("deskbell: Missing expected argument '<view|close|action>'") == true)
    #expect(press?.message?.contains("Usage: deskbell press <view|close|action>") == true)
    #expect(end("sate")?.code == 2)
  }

  @Test func helpIsNoFailure() throws {
    for line in ["--help", "app --help", "push --help", "--version"] {
      var command = try? Deskbell.parseAsRoot(words(line))
      do {
        if command == nil { _ = try Deskbell.parseAsRoot(words(line)) }
        try command?.run()
        Issue.record("\(line) does not end the program")
      } catch {
        #expect(Program.end(of: error).code == 0, "\(line)")
        #expect(Program.end(of: error).message?.isEmpty == false)
      }
    }
  }

  /// A command's help shows an example.
  @Test func everyCommandHasAnExample() {
    for command in Deskbell.configuration.subcommands {
      let configuration = command.configuration
      #expect(!configuration.abstract.isEmpty)
      #expect(configuration.discussion.contains("Example"), "\(command)")
      #expect(configuration.discussion.contains("deskbell \(configuration.commandName ?? "?")"), "\(command)")
      for sub in configuration.subcommands { #expect(!sub.configuration.abstract.isEmpty, "\(sub)") }
    }
  }
}
