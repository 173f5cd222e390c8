import ArgumentParser

/// A push that another command makes, to an app that the user named or to the command's own app.
struct Ring {
  /// The app that the user named; nil for the command's own.
  var app: String?
  /// The folder of a provider, to ring another machine; nil for the daemon of this one.
  var provider: String?
  var control: HandsetOptions
  /// The command's own app, which is created the first time.
  var own: (id: String, name: String)

  /// Pushes as `deskbell push` does with these options. Prints nothing if the push is accepted.
  func push(_ options: [String]) async throws {
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
}
