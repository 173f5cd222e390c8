/// A push as a command line, to see the request that is sent, or to send it from another machine.
public enum CurlLine {
  /// - Parameters:
  ///   - connectingTo: the server to connect to, whatever addresses the name in `endpoint` has; nil uses the name.
  ///   - authorityFile: path of the authority's certificate; nil to trust the system's authorities.
  public static func text(
    of push: PushRequest, to endpoint: Endpoint, connectingTo: Endpoint? = nil, authorityFile: String?, bearer: String
  ) -> String {
    var words: [String] = []
    for (name, value) in push.headers(bearer: bearer) { words += ["--header", "\(name): \(value)"] }
    words += ["--data", String(decoding: push.payload, as: UTF8.self)]
    return line(words, "https://\(endpoint)\(push.path)", connectingTo, authorityFile)
  }

  /// Returns the command line of a call to the 2008 service. Otherwise as above.
  /// - Parameter password: nil makes curl ask for it.
  public static func text(
    of call: PublishingCall, to endpoint: Endpoint, connectingTo: Endpoint? = nil, authorityFile: String?,
    user: String, password: String?
  ) -> String {
    var words = ["--user", password.map { "\(user):\($0)" } ?? user, "--request", call.method]
    if !call.body.isEmpty {
      words += ["--header", "content-type: application/x-plist", "--data", String(decoding: call.body, as: UTF8.self)]
    }
    return line(words, "https://\(endpoint)\(call.path)", connectingTo, authorityFile)
  }

  private static func line(
    _ words: [String], _ address: String, _ server: Endpoint?, _ authorityFile: String?
  ) -> String {
    var line = ["curl", "--http2"]
    if let authorityFile { line += ["--cacert", authorityFile] }
    // The empty words mean any host and port.
    if let server { line += ["--connect-to", "::\(server)"] }
    return (line + words + [address]).map(quoted).joined(separator: " ")
  }

  public static func quoted(_ word: String) -> String {
    let plain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || "/.-_:".contains($0) }
    if plain && !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
