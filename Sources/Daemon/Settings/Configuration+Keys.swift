// The keys of a settings file. Each has its meaning beside it, from which docs/reference/settings.md is made.

import FleetMember
import PushPort
import StrictYAML

extension Configuration {
  enum Key: String, DescribedKey {
    case board, certificate, channels, control, display, environment, fleet, handsets, http, language, limits, listen,
      mqtt
    case panel, speaker, state
    case boardHandset = "board-handset"
    case defaultSound = "default-sound"
    case hookTemplates = "hook-templates"
    case tlsNames = "tls-names"

    var meaning: String {
      switch self {
      case .board:
        "The board: the name of a shipped one, or the path of a board file. Without this key there is none."
      case .boardHandset: "The handset on the board: its name. Default: the first of `handsets`."
      case .certificate: "A certificate of your own instead of the daemon's."
      case .channels:
        "A port of its own for the management of channels, `HOST:PORT`: `*:2196` is Apple's, `*:2195` in development "
          + "([apns.md](../apns.md#channels)). Default: none; `listen` has these requests in any case."
      case .control: "The control socket. Default: `control.sock` in the state directory."
      case .defaultSound:
        "The default sound where the person chose none: a file of `Sounds/`, without `.wav`. Default: "
          + "`\(Configuration().defaultSound)`."
      case .display:
        "The display on the board: the name of a shipped one, the path of a display file, or `none`. Default: the one "
          + "that the board file names ([board-configs](../../board-configs/README.md))."
      case .environment:
        "Which of Apple's two push services it is: `production` (default) or `development`."
      case .fleet: "The fleet of which this daemon has a desk, or is a gateway ([fleet.md](../fleet.md))."
      case .handsets:
        "Names of the handsets, each 1 to 32 of `a` to `z`, `0` to `9` and `-`; or how many handsets there are, 1 to "
          + "1,000, which are then named `1`, `2` and so on. Default: `1`. A handset that is removed from the list stays "
          + "stored; a push to one of its tokens is answered `BadDeviceToken`."
      case .hookTemplates:
        "Templates for hooks, by name; [ways-in.md](../ways-in.md#templates-of-your-own) has their keys."
      case .http:
        "A port without TLS, for what cannot speak it. Anyone on the network can read the messages and access keys "
          + "there. Default: none."
      case .language: "The language of apps' strings. Default: `\(Configuration().language)`."
      case .limits: "Limits of the push port; [http2.md](../http2.md) lists the others."
      case .listen:
        "The address for pushes, `HOST:PORT`; `*` is every address. Default: `\(Configuration().listen)`."
      case .mqtt: "The broker through which Home Assistant is reached ([home-assistant.md](../home-assistant.md))."
      case .panel:
        "The address of the web panel, `HOST:PORT`, or `off`. Default: `\(Configuration.loopbackPanel)`; "
          + "[panel.md](../panel.md) has the requirements of other addresses."
      case .speaker: "The output of sounds."
      case .state:
        "The state directory: database, certificates, converted sounds. Default: `/var/lib/deskbell` for root, else "
          + "`~/.local/state/deskbell`."
      case .tlsNames: "Additional names and addresses for the server's certificate."
      }
    }

    /// Returns whether two configurations differ in this key so that a restart is needed.
    fileprivate func differs(_ one: Configuration, _ other: Configuration) -> Bool {
      switch self {
      case .board: one.board != other.board
      case .boardHandset: one.boardHandset != other.boardHandset
      // Other files may be named without a restart, but a change to or from the daemon's own certificate needs one.
      case .certificate: (one.certificate == nil) != (other.certificate == nil)
      case .channels: one.channels != other.channels
      case .control: one.control != other.control
      case .defaultSound: one.defaultSound != other.defaultSound
      case .display: one.display != other.display
      case .environment: one.pushEnvironment != other.pushEnvironment
      case .fleet: one.fleet != other.fleet
      case .handsets: one.handsets != other.handsets
      case .hookTemplates: one.hookTemplates != other.hookTemplates
      case .http: one.http != other.http
      case .language: one.language != other.language
      case .limits: one.limits != other.limits
      case .listen: one.listen != other.listen
      case .mqtt: one.home != other.home
      case .panel: one.panel != other.panel
      case .speaker: one.speaker != other.speaker || one.duck != other.duck
      case .state: one.state != other.state
      case .tlsNames: one.names != other.names
      }
    }
  }

  enum CertificateKey: String, DescribedKey {
    case chain, key

    var meaning: String {
      switch self {
      case .chain: "PEM file: the server's certificate and the intermediate certificates."
      case .key: "PEM file: its private key."
      }
    }
  }

  enum LimitKey: String, DescribedKey {
    case connections
    case connectionsPerAddress = "connections-per-address"
    case connectionsPerProvider = "connections-per-provider"
    case idleMinutes = "idle-minutes"
    case requestsPerSecond = "requests-per-second"

    var meaning: String {
      let limits = PortLimits.standard
      return switch self {
      case .connections: "Connections at a time, 1 to 100,000. Default: \(limits.connections)."
      case .connectionsPerAddress:
        "Connections from one address at a time. Default: \(limits.connectionsPerAddress)."
      case .connectionsPerProvider:
        "Connections of one provider at a time; at one more its oldest is ended. Default: "
          + "\(limits.connectionsPerProvider)."
      case .idleMinutes:
        "Minutes after which a connection without requests is closed, 1 to 10,000. Default: "
          + "\(limits.idleDuration.components.seconds / 60)."
      case .requestsPerSecond:
        "Pushes a second from one provider, 0 for no limit. Default: \(limits.requestsPerSecond)."
      }
    }
  }

  enum SpeakerKey: String, DescribedKey {
    case duck, pcm, wav

    var meaning: String {
      switch self {
      case .duck: "Music that is lowered while a sound plays."
      case .pcm: "The ALSA PCM. Default: `default`."
      case .wav: "A folder: each sound is written to a WAV file there instead of being played."
      }
    }
  }

  enum DuckKey: String, DescribedKey {
    case card, element, to

    var meaning: String {
      switch self {
      case .card: "The card whose mixer has the element. Default: `default`."
      case .element: "The mixer element, as `amixer scontrols` names it."
      case .to: "The remaining amplitude of the music, from 0% to 100%. Default: 20%."
      }
    }
  }

  func keys(differingFrom other: Configuration) -> [String] {
    Key.allCases.filter { $0.differs(self, other) }.map(\.rawValue)
  }
}

/// A key of a settings file by its path, `speaker.duck.card`, and its meaning in Markdown.
public struct DescribedSetting: Codable, Hashable, Sendable {
  public var key: String
  public var meaning: String

  /// All keys, in alphabetical order.
  public static var all: [DescribedSetting] {
    let sections: [[DescribedSetting]] = [
      of(Configuration.Key.self), of(Configuration.CertificateKey.self, in: "certificate"),
      of(FleetSettings.Key.self, in: "fleet"), of(PlainPort.Key.self, in: "http"),
      of(Configuration.LimitKey.self, in: "limits"), of(HomeConnection.Key.self, in: "mqtt"),
      of(Configuration.SpeakerKey.self, in: "speaker"), of(Configuration.DuckKey.self, in: "speaker.duck"),
    ]
    return sections.flatMap(\.self).sorted { $0.key < $1.key }
  }

  private static func of<Key: DescribedKey>(_ keys: Key.Type, in section: String? = nil) -> [DescribedSetting] {
    keys.allCases.map { key in
      DescribedSetting(key: (section.map { "\($0)." } ?? "") + key.rawValue, meaning: key.meaning)
    }
  }
}
