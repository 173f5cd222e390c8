/// The servers of one cluster, and who we are to them.
public struct NATSServers: Hashable, Sendable {
  /// An address: `tls://HOST:PORT`, or `nats://HOST:PORT` without TLS.
  public struct Address: Hashable, Sendable, CustomStringConvertible {
    public var host: String
    public var port: Int
    public var isSecure: Bool

    public init(host: String, port: Int, isSecure: Bool) {
      self.host = host
      self.port = port
      self.isSecure = isSecure
    }

    public var description: String {
      "\(isSecure ? "tls" : "nats")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }
  }

  /// An Ed25519 key in NATS' form.
  public struct Key: Hashable, Sendable {
    public var publicKey: String
    public var seedFile: String

    public init(publicKey: String, seedFile: String) {
      self.publicKey = publicKey
      self.seedFile = seedFile
    }
  }

  /// All with TLS or all without.
  public var addresses: [Address]
  /// A file of certificates that theirs may be issued by; nil for the system's.
  public var authorityFile: String?
  /// Nil where they let everybody in.
  public var key: Key?
  /// What they call us in their reports.
  public var name: String
  /// The beginning of the subjects that answers come to.
  public var inbox: String

  public init(
    _ addresses: [Address], name: String, inbox: String = "_INBOX", key: Key? = nil, authorityFile: String? = nil
  ) {
    self.addresses = addresses
    self.name = name
    self.inbox = inbox
    self.key = key
    self.authorityFile = authorityFile
  }
}

/// What is published, or was received.
public struct NATSMessage: Hashable, Sendable {
  public var subject: String
  public var reply: String?
  /// Its header.
  public var fields: [String: String]
  public var payload: [UInt8]

  public init(subject: String, reply: String? = nil, fields: [String: String] = [:], payload: [UInt8] = []) {
    self.subject = subject
    self.reply = reply
    self.fields = fields
    self.payload = payload
  }

  /// Whether its addresses are addresses. The library writes them to the server as they are, and white space begins another
  /// word there, or another command.
  var isAddressed: Bool {
    func isSubject(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
    return isSubject(subject) && reply.map(isSubject) ?? true
  }

  /// The status of a message that the server itself sends, such as 503 where nobody listens; nil for any other.
  public var status: Int? { payload.isEmpty ? fields["Status"].flatMap { Int($0) } : nil }
}

/// What happens to a connection.
public enum NATSReport: Hashable, Sendable {
  case connected
  /// It is not connected, or no longer; it tries again.
  case lost(problem: String)
  /// The servers refuse something and the connection goes on.
  case failed(problem: String)
}

/// Why there can be no connection, or no answer.
public struct NATSError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    case notConnected, noAnswer, nobodyListens, other
  }

  public var kind: Kind
  public var problem: String

  public var description: String { problem }

  public init(_ kind: Kind = .other, _ problem: String) {
    self.kind = kind
    self.problem = problem
  }
}
