// YAML that users write: boards, settings, and the manifests of apps.

import Board
import StrictYAML

@testable import DeskbellDaemon

func runBoardFile(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  try checkMessages(in: ReusedFile.holding(bytes)) { path throws(StrictYAMLError) in
    _ = try BoardDocument(contentsOf: path, parts: BoardParts()).description()
  }
}

func runSettingsFile(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var bench: BenchSettings?
  try checkMessages(in: ReusedFile.holding(bytes)) { path throws(StrictYAMLError) in
    bench = try Configuration(contentsOf: path).bench
  }
  try hold(bench == nil, "a settings file makes the daemon a test bench")
}

func runAppManifest(_ bytes: [UInt8]) {
  _ = try? AppBundle(files: ["app.yaml": bytes, "hooks/open": []], folder: "bundle", language: "en")
}

func runAppStrings(_ bytes: [UInt8]) {
  let manifest = Array("id: com.example.mail\nname: Mail\n".utf8)
  _ = try? AppBundle(
    files: ["app.yaml": manifest, "strings/en.yaml": bytes, "strings/de.yaml": bytes], folder: "bundle", language: "de")
}

/// Checks that every message has an existing place, and that their number is within the limit.
private func checkMessages(
  in path: String, _ read: (String) throws(StrictYAMLError) -> Void
) throws(FuzzTarget.Finding) {
  var messages: [Diagnostic] = []
  do throws(StrictYAMLError) { try read(path) } catch { messages = error.diagnostics }
  try hold(messages.count <= YAMLLimits.diagnostics, "\(messages.count) messages")
  for message in messages {
    try hold(message.position.line >= 1 && message.position.column >= 1, "\(message)")
    try hold(
      message.description.utf8.count <= 4 * YAMLLimits.stringBytes,
      "a message of \(message.description.utf8.count) bytes")
  }
}
