// The provider's side of the 2008 service: a call on a publishing node, and who makes it.

import FoundationEssentials
import HTTP2Session

/// Who publishes: the app as the user, and its provider's password.
public struct PublishingUser: Sendable {
  var name: String
  var password: String

  public init(name: String, password: String) {
    (self.name, self.password) = (name, password)
  }
}

/// One of the four calls.
public struct PublishingCall: Sendable, Hashable {
  var method: String
  /// With the query.
  var path: String
  var body: [UInt8] = []

  /// The address of a node. Nothing is checked here: a provider may want to see how a bad one is refused.
  public struct Node: Sendable, Hashable {
    /// The app's bundle identifier.
    public var publisher: String
    /// Hexadecimal.
    public var device: String
    public var name: String

    public init(publisher: String, device: String, name: String) {
      (self.publisher, self.device, self.name) = (publisher, device, name)
    }

    var path: String { "/" + [publisher, device, name].map(percentEncoded).joined(separator: "/") }
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
    var fields = HTTP2Fields()
    for (name, value) in [
      (":method", method), (":scheme", "https"), (":path", path), (":authority", "\(server)"),
      ("content-length", String(body.count)),
    ] { fields.add(name, value) }
    fields.add("authorization", "Basic " + credential, isSecret: true)
    if !body.isEmpty { fields.add("content-type", "application/x-plist") }
    return fields
  }
}

/// As one segment of a path: everything but RFC 3986's unreserved characters escaped.
private func percentEncoded(_ text: String) -> String {
  text.utf8.map { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      String(Unicode.Scalar(byte))
    default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }.joined()
}
