import FoundationEssentials
import HTTP
import HTTP2Session

/// The credentials of a publisher: the app as the user, and its provider's password.
public struct PublishingUser: Sendable {
  var name: String
  var password: String

  public init(name: String, password: String) {
    (self.name, self.password) = (name, password)
  }
}

public struct PublishingCall: Sendable, Hashable {
  var method: String
  var path: String
  var body: [UInt8] = []

  /// The address of a node. Nothing is checked here: a provider may want to see how a bad one is refused.
  public struct Node: Sendable, Hashable {
    /// The app's bundle identifier.
    public var publisher: String
    /// Hexadecimal digits.
    public var device: String
    public var name: String

    public init(publisher: String, device: String, name: String) {
      (self.publisher, self.device, self.name) = (publisher, device, name)
    }

    var path: String { "/" + [publisher, device, name].map(RequestTarget.encodedSegment).joined(separator: "/") }
  }

  public static func create(_ node: Node) -> PublishingCall {
    PublishingCall(method: "POST", path: node.path + "?action=create")
  }

  public static func delete(_ node: Node) -> PublishingCall {
    PublishingCall(method: "POST", path: node.path + "?action=delete")
  }

  /// - Parameter propertyList: XML in UTF-8, at most 1,024 bytes.
  public static func publish(_ propertyList: [UInt8], through node: Node) -> PublishingCall {
    PublishingCall(method: "PUT", path: node.path, body: propertyList)
  }

  func head(_ server: Endpoint, _ user: PublishingUser) -> HTTP2Fields {
    let credential = Data("\(user.name):\(user.password)".utf8).base64EncodedString()
    var fields = HTTP2Fields(method: method, path: path, server)
    fields.add("content-length", String(body.count))
    fields.add("authorization", "Basic " + credential, isSecret: true)
    if !body.isEmpty { fields.add("content-type", "application/x-plist") }
    return fields
  }
}
