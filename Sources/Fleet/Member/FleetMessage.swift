// A push on its way from a gateway to a desk. Its body is the provider's payload, byte for byte, and its header has the
// fields of the request. Requests with an access key have no such payload: the body is the input itself.

import Crypto
import FleetLink
import FoundationEssentials
import HandsetCore
import NATSClient
import PushPort

/// An input for a handset of a desk.
public struct FleetMessage {
  private enum Field {
    static let identifier = "Nats-Msg-Id"
    static let desk = "Bell-Desk"
    static let token = "Bell-Token"
    static let id = "Bell-Id"
    static let type = "Bell-Type"
    static let topic = "Bell-Topic"
    static let priority = "Bell-Priority"
    static let expires = "Bell-Expires"
    static let collapse = "Bell-Collapse"
    static let accepted = "Bell-Accepted"
    static let gateway = "Bell-Gateway"
    static let provider = "Bell-Provider"
    static let group = "Bell-Group"
    static let form = "Bell-Form"
    static let channel = "Bell-Channel"
    static let uniqueID = "Bell-Unique-Id"
  }

  private static let inputForm = "input"
  private static let broadcastForm = "broadcast"

  public let input: Input
  /// The handset; nil for the one on the board, or if the token determines it.
  public let handset: String?

  // MARK: Writing

  /// Returns the message for one desk.
  /// - Parameters:
  ///   - group: the group that the push was sent to; nil if it was sent to the desk itself.
  ///   - now: the time at which it was accepted.
  public static func push(
    _ push: Push, to address: HandsetAddress, group: String?, from gateway: String, at now: WallTime
  ) -> NATSMessage {
    var fields = [
      Field.desk: address.desk, Field.id: push.id.description, Field.type: push.type.rawValue,
      Field.topic: push.topic.text, Field.priority: String(push.priority), Field.gateway: gateway,
      Field.accepted: String(now.microseconds),
    ]
    fields[Field.token] = group == nil ? push.token?.hex : nil
    fields[Field.group] = group
    fields[Field.collapse] = group.map { "\($0)/\(push.collapseID ?? push.id.description)" } ?? push.collapseID
    fields[Field.provider] = push.provider
    fields[Field.uniqueID] = push.uniqueID?.description
    if case .at(let time) = push.expiration { fields[Field.expires] = String(time.microseconds) }
    // A group may have several handsets of a desk; a token has one.
    fields[Field.identifier] = identifier(of: push, to: group == nil ? address.desk : address.description)
    let isStored = push.expiration != .once
    return NATSMessage(
      subject: FleetNames.push(to: address, app: push.topic, isStored: isStored), fields: fields.mapValues(\.oneLine),
      payload: push.payload)
  }

  /// Returns the message for a request with an access key.
  public static func input(
    _ input: Input, to address: HandsetAddress, app: AppID, from gateway: String, at now: WallTime
  ) throws -> NATSMessage {
    var (id, isStored) = (PushID.random(), true)
    if case .push(let push) = input { (id, isStored) = (push.id, push.expiration != .once) }
    let fields = [
      Field.desk: address.desk, Field.id: id.description, Field.topic: app.text, Field.form: inputForm,
      Field.gateway: gateway, Field.accepted: String(now.microseconds), Field.identifier: "\(id):\(address.desk)",
    ]
    return NATSMessage(
      subject: FleetNames.push(to: address, app: app, isStored: isStored), fields: fields,
      payload: Array(try JSONEncoder().encode(input)))
  }

  /// Returns the message of a broadcast for all handsets of one desk.
  /// - Parameter now: the time at which it was accepted.
  public static func broadcast(
    _ push: Push, on channel: ChannelID, to desk: String, from gateway: String, at now: WallTime
  ) -> NATSMessage {
    var fields = [
      Field.desk: desk, Field.form: broadcastForm, Field.channel: channel.text, Field.id: push.id.description,
      Field.topic: push.topic.text, Field.priority: String(push.priority), Field.gateway: gateway,
      Field.accepted: String(now.microseconds), Field.identifier: identifier(of: push, to: desk),
    ]
    fields[Field.provider] = push.provider
    fields[Field.uniqueID] = push.uniqueID?.description
    if case .at(let time) = push.expiration { fields[Field.expires] = String(time.microseconds) }
    return NATSMessage(
      subject: FleetNames.broadcasts(to: desk, on: channel, isStored: push.expiration != .once),
      fields: fields.mapValues(\.oneLine), payload: push.payload)
  }

  /// Returns the same identifier for the same push, token and payload, so that the servers store a repeated push once.
  private static func identifier(of push: Push, to recipient: String) -> String {
    var hash = SHA256()
    hash.update(data: push.token?.bytes ?? [])
    hash.update(data: push.payload)
    let digest = Hex.text(Array(hash.finalize().prefix(8)))
    return "\(push.id):\(recipient):\(digest)"
  }

  /// Returns the same message under another identifier, which is new to the servers; nil if the desk could not recognise
  /// the duplicate. A push may then be stored twice; the desk accepts one (rule P1).
  public static func identifiedAnew(_ message: NATSMessage) -> NATSMessage? {
    let isRecognized = message.fields[Field.token] != nil || message.fields[Field.channel] != nil
    guard isRecognized, let identifier = message.fields[Field.identifier] else { return nil }
    var message = message
    message.fields[Field.identifier] = identifier + "+"
    return message
  }

  // MARK: Reading

  /// - Throws: `BadStoredPush` if the message is not for that desk.
  public init(_ message: NATSMessage, for desk: String) throws(BadStoredPush) {
    guard message.fields[Field.desk] == desk else { throw BadStoredPush(problem: "it is not for this desk") }
    // Only gateways may write to this subject. Another desk can make the servers deliver its own messages here, with
    // any fields; but their subject is still the one to which they were written.
    let words = message.subject.split(separator: ".")
    guard words.count == 5, words[0] == "bell", words[2] == desk else {
      throw BadStoredPush(problem: "its subject is not this desk's")
    }
    handset = words[3] == FleetNames.boardHandset ? nil : String(words[3])
    if message.fields[Field.form] == FleetMessage.inputForm {
      input = try FleetMessage.input(message)
    } else if message.fields[Field.form] == FleetMessage.broadcastForm {
      input = try FleetMessage.broadcast(message)
    } else {
      input = .push(try FleetMessage.push(message))
    }
  }

  private static func input(_ message: NATSMessage) throws(BadStoredPush) -> Input {
    let input: Input
    do {
      input = try JSONDecoder().decode(Input.self, from: Data(message.payload))
    } catch {
      throw BadStoredPush(problem: "its body is no input: \(error)")
    }
    switch input {
    case .push(let push) where push.token == nil: return input
    case .schedule, .retract: return input
    default: throw BadStoredPush(problem: "its body is no input of a client with an access key")
    }
  }

  private static func field<Value>(
    _ name: String, of message: NATSMessage, _ read: (String) -> Value?
  ) throws(BadStoredPush) -> Value {
    guard let value = message.fields[name].flatMap(read) else {
      throw BadStoredPush(problem: "\(name) is missing or wrong")
    }
    return value
  }

  private static func expiration(of message: NATSMessage) throws(BadStoredPush) -> Expiration {
    guard message.fields[Field.expires] != nil else { return .once }
    return .at(try field(Field.expires, of: message) { Int64($0).map { WallTime(microseconds: $0) } })
  }

  private static func broadcast(_ message: NATSMessage) throws(BadStoredPush) -> Input {
    var push = try Push(
      broadcast: try field(Field.id, of: message) { PushID($0) }, to: try field(Field.topic, of: message) { AppID($0) },
      priority: try field(Field.priority, of: message) { Int($0) }, expiration: try expiration(of: message),
      payload: message.payload, provider: message.fields[Field.provider])
    if let uniqueID = message.fields[Field.uniqueID] { push.uniqueID = PushID(uniqueID) }
    return .broadcast(push, channel: try field(Field.channel, of: message) { ChannelID($0) })
  }

  private static func push(_ message: NATSMessage) throws(BadStoredPush) -> Push {
    let fields = message.fields
    let token: DeviceToken? =
      fields[Field.group] == nil ? try field(Field.token, of: message) { DeviceToken(hex: $0) } : nil
    var push = try Push(
      acceptedAs: try field(Field.id, of: message) { PushID($0) }, token: token,
      topic: try field(Field.topic, of: message) { AppID($0) },
      type: try field(Field.type, of: message) { PushType(rawValue: $0) },
      priority: try field(Field.priority, of: message) { Int($0) }, expiration: try expiration(of: message),
      collapseID: fields[Field.collapse], payload: message.payload)
    // A gateway may have stored the push twice. Rule P1 then treats the second as a duplicate, but only if the
    // identifier counts as the provider's.
    push.hasProviderID = true
    push.provider = fields[Field.provider]
    if let uniqueID = fields[Field.uniqueID] { push.uniqueID = PushID(uniqueID) }
    return push
  }
}

extension String {
  /// Header fields are single lines.
  fileprivate var oneLine: String { contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self }
}
