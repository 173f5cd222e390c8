import FleetLink
import HandsetCore

extension Fleet {
  /// Adds a group. Its name must be free, and its desks must belong to the fleet.
  /// - Parameters:
  ///   - members: `DESK` or `DESK/HANDSET`.
  ///   - since: milliseconds since 1970.
  /// - Throws: `FleetError`.
  public mutating func addGroup(
    _ name: String, app: String, environment: String, members: [String], token: DeviceToken, since: Int64
  ) throws(FleetError) {
    try FleetNames.check(name, kind: "group")
    guard AppID(app) != nil else {
      throw FleetError("'\(app)' is no app", hint: "give its bundle identifier, such as com.example.mailroom")
    }
    guard !groups.contains(where: { $0.name == name }) else {
      throw FleetError(
        "there is a group '\(name)' already",
        hint: "take another name, or remove it, and its token with it: deskbell fleet group remove \(name)")
    }
    var parsed: [HandsetAddress] = []
    for text in members {
      guard let member = HandsetAddress(text) else {
        throw FleetError("'\(text)' is no desk", hint: "name it as DESK or DESK/HANDSET")
      }
      guard desks.contains(where: { $0.name == member.desk }) else { throw unknownDesk(member.desk) }
      guard !parsed.contains(member) else { throw FleetError("'\(text)' is named twice", hint: "name each once") }
      parsed.append(member)
    }
    guard !parsed.isEmpty else {
      throw FleetError("the group has no desk", hint: "name at least one, as DESK or DESK/HANDSET")
    }
    groups.append(
      Group(
        name: name, app: app, environment: environment, desks: parsed, token: "\(TokenKey(token))", since: since
      ))
  }

  private func unknownDesk(_ name: String) -> FleetError {
    FleetError(
      "the fleet has no desk '\(name)'",
      hint: "add it first: deskbell fleet add \(name)"
        + (desks.isEmpty ? "" : ". There are \(desks.map(\.name).joined(separator: ", "))"))
  }

  /// Removes a group.
  /// - Returns: the removed group.
  /// - Throws: `FleetError` if there is no group of that name.
  @discardableResult
  public mutating func removeGroup(_ name: String) throws(FleetError) -> Group {
    guard let index = groups.firstIndex(where: { $0.name == name }) else {
      throw FleetError(
        "there is no group '\(name)'",
        hint: groups.isEmpty ? "there is none at all" : "there are \(groups.map(\.name).joined(separator: ", "))")
    }
    return groups.remove(at: index)
  }
}
