/// A way to push with an access key. This is the one list of them.
public enum KeyedWay: String, CaseIterable, Sendable {
  case ntfy, gotify, hooks

  /// Its request, for the text about a path that no front end claims.
  var request: String {
    switch self {
    case .ntfy: "ntfy: POST /TOPIC"
    case .gotify: "Gotify: POST /message"
    case .hooks: "hooks: POST /h/KEY"
    }
  }
}

/// The front ends of all keyed ways, made once: the ports share them, and with them ntfy's subscriptions.
public struct KeyedFrontEnds: Sendable {
  private let all: [(way: KeyedWay, frontEnd: any FrontEnd)]

  public init(
    _ receiver: any KeyedReceiver, providers: ProviderDirectory, templates: [String: HookTemplate], limits: PortLimits
  ) {
    // Topics, which may have nearly any name, are last: hooks and Gotify's few paths are claimed before.
    all = KeyedWay.allCases.reversed().map { way in
      let frontEnd: any FrontEnd =
        switch way {
        case .ntfy: NtfyFrontEnd(receiver, providers: providers, templates: templates, limits: limits)
        case .gotify: GotifyFrontEnd(receiver: receiver)
        case .hooks: HookFrontEnd(receiver: receiver, templates: templates)
        }
      return (way: way, frontEnd: frontEnd)
    }
  }

  /// Returns the front ends of some of the ways, in the order in which they claim requests.
  public func frontEnds(for ways: [KeyedWay] = KeyedWay.allCases) -> [any FrontEnd] {
    all.filter { ways.contains($0.way) }.map(\.frontEnd)
  }
}
