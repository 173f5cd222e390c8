import HTTP
import HandsetCore

/// A call of the 2008 service before its body: the method, and the three parts of a node's path.
struct PublishingRequest: Sendable {
  enum Method: String {
    case put = "PUT"
    case get = "GET"
    case post = "POST"
  }

  static let allowedMethods = "GET, HEAD, POST, PUT"

  let method: Method
  /// The parts of the path, in its order: `/publisher/device/node`.
  let publisher: String
  let device: String
  let node: String
  /// The query's `action`.
  let action: String?
  /// The values of all `Authorization` fields.
  let authorization: [String]
  /// Bytes of all header fields, names and values.
  let headerBytes: Int

  /// The publisher as an app; nil if it is no app's identifier.
  var topic: AppID? { AppID(publisher) }

  /// - Throws: 414, 400, 404, 405 or 413, checked in this order.
  init(_ head: RequestHead, _ limits: PortLimits) throws(HTTPError) {
    guard head.path.utf8.count <= limits.headerListBytes else {
      throw HTTPError(414, "the path is longer than \(limits.headerListBytes) bytes")
    }
    guard let target = RequestTarget(head.path) else { throw .malformedPath }
    guard target.segments.count == 3, !target.segments.contains("") else {
      throw HTTPError(404, PathAdvice(head, target).description)
    }
    guard let method = Method(rawValue: head.method == "HEAD" ? "GET" : head.method) else {
      throw HTTPError(405, "no such call; there are POST ?action=create, POST ?action=delete, PUT and GET")
    }
    if let length = head.headers["content-length"].flatMap(Int.init), length > limits.propertyListBytes {
      throw HTTPError(413, "the body is too large")
    }
    self.method = method
    (publisher, device, node) = (target.segments[0], target.segments[1], target.segments[2])
    action = target.queryValue("action")
    authorization = head.headers.values(of: "Authorization")
    headerBytes = head.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
  }
}
