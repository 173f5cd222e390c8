/// The reason why a request got no answer. The command line tells "no daemon" from other failures by these cases.
public enum HTTPClientError: Error, Sendable, Hashable {
  /// There is no such socket, or no folder of that path.
  case noSocket(HTTPAddress)
  /// The socket or port refuses the connection: its server has ended.
  case connectionRefused(HTTPAddress)
  case noPermission(HTTPAddress)
  case cannotConnect(HTTPAddress, reason: String)
  case timedOut(HTTPAddress, Duration)
  /// The server closed the connection before its answer was whole.
  case closedEarly(HTTPAddress)
  /// The answer, or a line of it, is larger than this client's limit.
  case answerTooLarge(HTTPAddress, limitBytes: Int)
  /// The answer is not HTTP, or a line of it is not UTF-8.
  case malformedAnswer(HTTPAddress, reason: String)
  /// A status of 300 or more, and the contents of its JSON body.
  case refused(status: Int, error: String, hint: String?)
}

extension HTTPClientError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSocket(let address): "\(address): there is no socket; start the server, or give the path of its socket"
    case .connectionRefused(let address): "\(address): no server listens there; start it"
    case .noPermission(let address):
      "\(address): no permission to connect; run this as the server's user or root, or join the socket's group"
    case .cannotConnect(let address, let reason): "\(address): cannot connect: \(reason); check the address"
    case .timedOut(let address, let limit): "\(address): no answer within \(limit); see the server's log"
    case .closedEarly(let address):
      "\(address): the server closed the connection before its answer was whole; see its log and try again"
    case .answerTooLarge(let address, let limit): "\(address): the answer is larger than \(limit) bytes; ask for less"
    case .malformedAnswer(let address, let reason): "\(address): \(reason); is it the right server?"
    case .refused(let status, let error, let hint): hint.map { "\(error); \($0)" } ?? "\(error) (status \(status))"
    }
  }
}
