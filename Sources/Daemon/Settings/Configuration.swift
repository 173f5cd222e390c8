// The properties of the installation, as opposed to the user's preferences: one YAML file, read once, strictly. The
// command line overrides it.

import AppLink
import FleetMember
import Glibc
import HandsetCore
import Installation
import Logging
import PushPort
import ServerIdentity
import ServiceManager
import StrictYAML
import UnixSockets

struct Configuration: Sendable {
  typealias Address = NetworkAddress

  enum Speaker: Hashable, Sendable {
    case alsa(pcm: String)
    /// Writes sounds to this folder instead of playing them.
    case wav(folder: String)
  }

  /// A volume control of a sound card, and the level to which it is lowered.
  struct Duck: Hashable, Sendable {
    var card = "default"
    var element: String
    /// The remaining amplitude of the music, in percent.
    var percent = 20
  }

  var listen = Address(host: "*", port: 2197)
  var http: PlainPort?
  /// The port for the management of channels alone; nil if there is none.
  var channels: Address?
  /// The templates for services' hooks, by name: the shipped ones, and those of the settings file.
  var hookTemplates = Configuration.readyTemplates
  var home: HomeConnection?
  var fleet: FleetSettings?
  /// The address of the web panel; nil if it is off.
  var panel: Address? = Configuration.loopbackPanel
  var names: [String] = []
  /// The user's own certificate chain and key, PEM files; nil for the daemon's own.
  var certificate: (chain: String, key: String)?
  /// The one of Apple's two services that the port emulates.
  var pushEnvironment = PushEnvironment.production
  /// The path or shipped name of the board file; nil for no board.
  var board: String?
  /// The path or shipped name of the display file; nil for the board's own display.
  var display: String?
  var speaker = Speaker.alsa(pcm: "default")
  /// The music that is lowered while a sound plays (rule A3); nil for none.
  var duck: Duck?
  var handsets = ["1"]
  /// The name of the handset on the board; nil for the first.
  var boardHandset: String?
  var limits = PortLimits.standard
  var state = Configuration.defaultState
  var control: String?
  var language = "en"
  /// The system sound: a file of the shipped sounds, without extension.
  var defaultSound = "bell"
  var file: String?
  /// The following are for a run, not for an installation: only the command line has them.
  var clock = DaemonOptions.ClockKind.system
  var joinsClocks = false
  var clockStart: WallTime?
  var clockFile: String?
  var record: String?
  var logLevel = DaemonOptions.LogLevel.notice
  /// Makes the daemon a test bench; nil on a desk. No settings file has it, so that no desk becomes one by mistake.
  var bench: BenchSettings?

  /// The address for this machine alone.
  static let loopbackPanel = Address(host: "127.0.0.1", port: 2198)
  /// The mode of the socket that apps listen on. A client that may use an inherited control socket may also be an app.
  var appsSocketMode = AppLink.defaultSocketMode

  var controlSocket: String { control ?? "\(state)/control.sock" }

  /// `$DESKBELL_STATE`; for root `/var/lib/deskbell`; else `deskbell` in `$XDG_STATE_HOME` or `~/.local/state`.
  static var defaultState: String {
    let variable = ServiceManager.variableOfProcess
    if let state = variable("DESKBELL_STATE") { return state }
    if geteuid() == 0 { return "/var/lib/deskbell" }
    if let state = variable("XDG_STATE_HOME") { return "\(state)/deskbell" }
    return "\(variable("HOME") ?? ".")/.local/state/deskbell"
  }

  /// Reads the file, if one is named, and overrides it with the command line's options.
  /// - Throws: each line that is wrong, as `file:line:column: error: …`.
  init(_ options: DaemonOptions) throws(DaemonError) {
    if let path = options.config {
      do {
        self = try Configuration(contentsOf: path)
        file = SharedFiles.absolute(path)
      } catch {
        throw DaemonError(error.description)
      }
    } else {
      self.init()
    }
    if let control = ServiceManager.variableOfProcess("DESKBELL_CONTROL") { self.control = control }
    if let board = options.board { self.board = board }
    if let display = options.display { self.display = display }
    if let state = options.state { self.state = state }
    if let control = options.control { self.control = control }
    if let listen = options.listen {
      guard let address = Address(listen) else {
        throw DaemonError("--listen '\(listen)': expected HOST:PORT, such as *:2197, 192.168.1.5:2197 or [::1]:0")
      }
      self.listen = address
    }
    if let panel = options.panel {
      self.panel = Address(panel)
      guard self.panel != nil || panel == "off" else {
        throw DaemonError("--panel '\(panel)': expected HOST:PORT, such as \(Configuration.loopbackPanel), or off")
      }
    }
    names += options.names
    if let environment = options.environment { pushEnvironment = environment }
    if let pcm = options.pcm { speaker = .alsa(pcm: pcm) }
    if let folder = options.wav { (speaker, duck) = (.wav(folder: folder), nil) }
    try takeClock(of: options)
    if let bench = options.bench { try become(bench) }
    record = options.record
    logLevel = options.logLevel
  }

  /// A bench accepts what any client sends, and its tests reset it: so it has a state of its own, and only this machine
  /// reaches it. `deskbell bench` starts it so; a desk's daemon does not become one by an option too many.
  private mutating func become(_ bench: BenchSettings) throws(DaemonError) {
    guard let folder = bench.folder else {
      throw DaemonError("--bench needs --bench-folder, a folder of the bench's own; start a bench with: deskbell bench")
    }
    guard bench.contains(state) else {
      throw DaemonError("--bench: the state '\(state)' is not in '\(folder)'; start a bench with: deskbell bench")
    }
    guard listen.isLoopback else {
      throw DaemonError("--bench: \(listen) is not this machine's alone; give --listen 127.0.0.1:0")
    }
    (self.bench, handsets, boardHandset) = (bench, (1...max(1, bench.handsets)).map(String.init), nil)
  }

  private mutating func takeClock(of options: DaemonOptions) throws(DaemonError) {
    if let problem = options.clockProblem { throw DaemonError(problem) }
    (clock, joinsClocks) = (options.clock, options.joinsClocks)
    (clockStart, clockFile) = (options.clockStart, options.clockFile)
  }

  init() {}

  /// Sockets that were handed over override all settings and options: they are listening already.
  mutating func use(_ sockets: ActivatedSockets, logger: Logger) {
    if sockets.push != nil, listen != Configuration().listen {
      logger.warning(
        "listen: \(listen) is not used, the service manager's socket is; change it with: systemctl edit deskbell.socket"
      )
    }
    guard let given = sockets.control else { return }
    if let control, control != given.path {
      logger.warning("control: \(control) is not used, the service manager's socket is: \(given.path)")
    }
    control = given.path
    var status = stat()
    if stat(given.path, &status) == 0 { appsSocketMode = status.st_mode & 0o777 }
  }

  /// Reads the configuration again, applies the changes that are possible now, and logs the others. A certificate that
  /// is renewed every few weeks must come into use without closing all connections. All other changes wait for a
  /// restart, which refuses no push if systemd holds the sockets. An invalid file changes nothing.
  /// - Parameter use: activates a certificate.
  func reload(by options: DaemonOptions, logger: Logger, use: (TLSIdentity) throws -> Void) {
    do {
      let new = try Configuration(options)
      let later = new.keys(differingFrom: self)
      if let own = new.certificate, certificate != nil {
        try use(TLSIdentity(certificateChainFile: own.chain, keyFile: own.key))
        logger.notice("reloaded: the certificate \(own.chain)")
      }
      if !later.isEmpty {
        logger.warning("read, and in force after the next restart: \(later.joined(separator: ", "))")
      }
    } catch {
      for line in "\(error)".split(separator: "\n") { logger.error("the configuration stays as it was: \(line)") }
    }
  }

  init(contentsOf path: String) throws(StrictYAMLError) {
    self = try Configuration(YAMLDocument.parse(contentsOf: path, emptyAsMapping: true))
  }

  init(_ document: YAMLDocument) throws(StrictYAMLError) {
    self = try document.decode { root in
      var result = Configuration()
      root.explainUnknown { key in
        guard let key = HandsetSettings.Key(rawValue: key) else { return nil }
        return "a person changes it while the daemon runs: deskbell settings \(key.rawValue) VALUE"
      }
      let text: (YAMLNode) throws -> String = { try $0.string() }
      result.listen =
        root.optional(Key.listen, default: result.listen) { node in
          guard let address = Address(try node.string()) else {
            throw node.diagnostic("expected HOST:PORT, such as \"*:2197\" or \"192.168.1.5:2197\"")
          }
          return address
        }
      result.panel =
        root.optional(Key.panel, default: result.panel) { node in
          let text = try node.string()
          let address = Address(text)
          guard address != nil || text == "off" else {
            throw node.diagnostic("expected HOST:PORT, such as \"\(Configuration.loopbackPanel)\", or off")
          }
          return address
        }
      result.channels = root.optional(Key.channels) { node in
        guard let address = Address(try node.string()) else {
          throw node.diagnostic("expected HOST:PORT, such as \"*:2196\"")
        }
        return address
      }
      result.http = root.mapping(Key.http, required: false) { PlainPort($0) }
      result.home = root.mapping(Key.mqtt, required: false) { HomeConnection($0) }
      result.fleet = root.mapping(Key.fleet, required: false) { FleetSettings($0) }
      result.hookTemplates.merge(Configuration.hookTemplates(root)) { _, own in own }
      result.names = root.list(Key.tlsNames, required: false) { try $0.string() } ?? []
      result.certificate = root.mapping(Key.certificate, required: false) { mapping in
        let chain = mapping.required(CertificateKey.chain, text)
        let key = mapping.required(CertificateKey.key, text)
        return chain.flatMap { chain in key.map { (chain, $0) } }
      }
      result.pushEnvironment = root.optional(Key.environment, default: result.pushEnvironment) { try $0.choice() }
      result.board = root.optional(Key.board, text)
      result.display = root.optional(Key.display, text)
      result.state = root.optional(Key.state, default: result.state, text)
      result.control = root.optional(Key.control, text)
      result.language = root.optional(Key.language, default: result.language) { try $0.string(bytes: 1...35) }
      result.defaultSound = root.optional(Key.defaultSound, default: result.defaultSound, text)
      result.handsets = root.optional(Key.handsets, default: result.handsets) { try $0.handsetNames() }
      result.boardHandset = root.optional(Key.boardHandset) { try $0.choice(of: result.handsets) }
      let sound = root.mapping(Key.speaker, required: false) { mapping in Configuration.sound(mapping) }
      result.speaker = sound?.speaker ?? result.speaker
      result.duck = sound?.duck
      result.limits = root.mapping(Key.limits, required: false) { Configuration.limits($0) } ?? result.limits
      return result
    }
  }

  private static func sound(_ mapping: MappingReader) -> (speaker: Speaker?, duck: Duck?) {
    let text: (YAMLNode) throws -> String = { try $0.string() }
    let pcm = mapping.optional(SpeakerKey.pcm, text)
    let wav = mapping.optional(SpeakerKey.wav, text)
    let duck: Duck? = mapping.mapping(SpeakerKey.duck, required: false) { mapping in
      let card = mapping.optional(DuckKey.card, default: "default", text)
      let percent = mapping.optional(DuckKey.to, default: 20) { node in
        let text = try node.string()
        guard text.hasSuffix("%"), let percent = Int(text.dropLast()), (0...100).contains(percent) else {
          throw node.diagnostic("expected how much of the music is left, from 0% to 100%: 20%")
        }
        return percent
      }
      return mapping.required(DuckKey.element, text).map { Duck(card: card, element: $0, percent: percent) }
    }
    if pcm != nil && wav != nil { mapping.report("speaker: either pcm or wav, not both") }
    if duck != nil && wav != nil {
      mapping.report("speaker: duck goes with pcm; what is written to files dims nothing")
    }
    return (wav.map { .wav(folder: $0) } ?? pcm.map { .alsa(pcm: $0) }, duck)
  }

  /// Reads the limits of the port that depend on its providers; the others protect the machine.
  private static func limits(_ mapping: MappingReader) -> PortLimits {
    var limits = PortLimits.standard
    let keys: [(LimitKey, WritableKeyPath<PortLimits, Int>, ClosedRange<Int>)] = [
      (.connections, \.connections, 1...100_000), (.connectionsPerAddress, \.connectionsPerAddress, 1...100_000),
      (.connectionsPerProvider, \.connectionsPerProvider, 1...100_000),
      (.requestsPerSecond, \.requestsPerSecond, 0...1_000_000),
    ]
    for (key, path, range) in keys {
      limits[keyPath: path] = mapping.optional(key, default: limits[keyPath: path]) { try $0.integer(in: range) }
    }
    let idleMinutes = mapping.optional(LimitKey.idleMinutes) { try $0.integer(in: 1...10_000) }
    if let idleMinutes { limits.idleDuration = .seconds(60 * idleMinutes) }
    return limits
  }
}

extension NetworkAddress {
  /// Listens on the host. `*` is both IPv6 and IPv4, or IPv4 alone if the kernel has no IPv6.
  /// - Parameter other: the option that chooses another port, for the error: `--listen`.
  func listening<Bound>(other: String, _ start: (String) async throws -> Bound) async throws -> Bound {
    do {
      guard host == "*" else { return try await start(host) }
      do {
        return try await start("::")
      } catch {
        guard let bound = try? await start("0.0.0.0") else { throw error }
        return bound
      }
    } catch {
      throw TakenPort.explained(error, at: self, other: other)
    }
  }
}
