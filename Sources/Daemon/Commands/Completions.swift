// Completions of names that a shell can only get from the daemon.

import ArgumentParser
import DeskbellDaemon

extension CompletionKind {
  static var apps: CompletionKind { names { try await $0.apps().map(\.id) } }
  static var providers: CompletionKind { names { try await $0.providers().map(\.name) } }
  static var handsets: CompletionKind { names { try await $0.handsets().map(\.name) } }
  static func keys(_ way: KeyKind) -> CompletionKind { names { try await $0.keys(way).map(\.name) } }
  /// The keys of the handset's settings, and the apps, which have their own.
  static var appsAndSettings: CompletionKind {
    names { try await $0.apps().map(\.id) + $0.settings(of: nil).map(\.key) }
  }
  static var conditions: CompletionKind { names { try await $0.conditions().map(\.key) } }

  /// Returns no names if no daemon answers: a shell cannot show a message.
  private static func names(
    _ ask: @escaping @Sendable (ControlClient) async throws -> [String]
  ) -> CompletionKind {
    .custom { words, _, _ in
      let options = ControlOptions.named(in: words)
      guard let client = try? HandsetOptions.client(socket: options.socket, handset: options.handset) else { return [] }
      return (try? await ask(client)) ?? []
    }
  }
}
