import UnixSockets

/// The reason why a push could not be sent or got no answer: always with the server, and what to do next.
public enum ProviderClientError: Error, Sendable, Hashable {
  case unknownHost(Endpoint)
  case connectionRefused(Endpoint)
  case cannotConnect(Endpoint, reason: String)
  case timedOut(Endpoint, Duration, waitingFor: String)
  /// No trusted authority signed the server's certificate, or it is not valid today.
  case certificateNotTrusted(Endpoint)
  /// The certificate is for another host.
  case nameMismatch(Endpoint)
  /// The server does not speak TLS, or only versions that the client does not.
  case tlsFailed(Endpoint, reason: String)
  /// The server speaks TLS, but not HTTP/2.
  case noHTTP2(Endpoint)
  /// The PEM text of the authority holds no certificate.
  case badAuthority(reason: String)
  /// The connection ended before the answer; the push may or may not have been accepted. `reason` is the one in the
  /// server's GOAWAY.
  case connectionClosed(Endpoint, reason: String?)
  case tooManyWaiting(Endpoint, limit: Int)
  case malformedAnswer(Endpoint, reason: String)
  case badKey(reason: String)
  case badFile(path: String, reason: String)
  case badPayload(reason: String)
}

/// Host and port of a server.
public typealias Endpoint = NetworkAddress

extension NetworkAddress {
  /// Makes the endpoint to connect to from an address that a server listens on, such as `0.0.0.0:2197`: every address
  /// includes this machine's. Nil if the text is not an address with a port.
  public init?(reaching address: String) {
    guard let listening = NetworkAddress(address) else { return nil }
    self.init(host: listening.isEverywhere ? "localhost" : listening.host, port: listening.port)
  }
}

extension ProviderClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownHost(let server): "\(server): the name has no address; check the host"
    case .connectionRefused(let server):
      "\(server): connection refused; start the server there ('deskbell serve'), or check the port"
    case .cannotConnect(let server, let reason): "\(server): cannot connect: \(reason); check the host and the port"
    case .timedOut(let server, let limit, let awaited):
      "\(server): no \(awaited) within \(limit); check that nothing on the way blocks it, and try again"
    case .certificateNotTrusted(let server):
      "\(server): its certificate is not trusted; for a Deskbell, save its authority there with "
        + "'deskbell ca > ca.pem' and give that file, and check that both clocks are right"
    case .nameMismatch(let server):
      "\(server): its certificate is not for '\(server.host)'; connect by a name it covers, or add this one to the "
        + "server's 'tls-names'"
    case .tlsFailed(let server, let reason): "\(server): no TLS connection: \(reason); check the port"
    case .noHTTP2(let server): "\(server): the server does not speak HTTP/2; check the port"
    case .badAuthority(let reason):
      "the certificate authority cannot be read: \(reason); give a PEM file, such as 'deskbell ca' prints"
    case .connectionClosed(let server, let reason):
      "\(server): the connection closed before the answer" + (reason.map { " (\($0))" } ?? "")
        + "; connect and send again"
    case .tooManyWaiting(let server, let limit):
      "\(server): \(limit) pushes wait already; send the next when some are answered"
    case .malformedAnswer(let server, let reason): "\(server): \(reason); is it an APNs server?"
    case .badKey(let reason): "the provider's key: \(reason)"
    case .badFile(let path, let reason): "\(path): error: \(reason)"
    case .badPayload(let reason): "the payload: \(reason)"
    }
  }
}
