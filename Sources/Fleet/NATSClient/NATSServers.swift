/// The servers of one cluster, and this client's identity.
public struct NATSServers: Sendable {
  /// The addresses: all `tls://HOST:PORT`, or all `nats://HOST:PORT` without TLS.
  let addresses: [String]
  /// The name of this client in the servers' reports.
  let name: String
  /// The beginning of the subjects for answers.
  let inbox: String
  /// The client's Ed25519 key in NATS' form.
  let publicKey: String
  let seedFile: String
  /// PEM certificates of the authorities that may issue the servers' certificates; nil for the system's.
  let authorityFile: String?

  public init(
    _ addresses: [String], name: String, inbox: String = "_INBOX", publicKey: String, seedFile: String,
    authorityFile: String?
  ) {
    (self.addresses, self.name, self.inbox) = (addresses, name, inbox)
    (self.publicKey, self.seedFile, self.authorityFile) = (publicKey, seedFile, authorityFile)
  }
}

/// A message that is published or was received.
public struct NATSMessage: Hashable, Sendable {
  public var subject: String
  public var reply: String?
  public var fields: [String: String]
  public var payload: [UInt8]

  public init(subject: String, reply: String? = nil, fields: [String: String] = [:], payload: [UInt8] = []) {
    self.subject = subject
    self.reply = reply
    self.fields = fields
    self.payload = payload
  }

  /// True if subject and reply are well formed. The library sends them verbatim, so white space would begin another
  /// word or inject a command.
  var isAddressed: Bool {
    func isSubject(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
    return isSubject(subject) && reply.map(isSubject) ?? true
  }

  /// The status of a message from the server itself, such as 503 without subscribers; nil for any other.
  public var status: Int? { payload.isEmpty ? fields["Status"].flatMap { Int($0) } : nil }
}

/// An event of a connection.
public enum NATSReport: Hashable, Sendable {
  case connected
  /// The connection is not established, or is lost; it is tried again.
  case lost(problem: String)
  /// The servers refuse a request, and the connection continues.
  case failed(problem: String)
}

/// The reason why there is no connection or no answer, or why the servers did not carry out a request.
public struct NATSError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problem: String
  /// The servers' own error number, such as 10059 for a missing stream; 0 if they did not answer.
  public var code: Int
  /// True if a retry may help.
  public var isTransient: Bool

  public var description: String { problem }

  public init(_ problem: String, code: Int = 0, isTransient: Bool = true) {
    (self.problem, self.code, self.isTransient) = (problem, code, isTransient)
  }
}
