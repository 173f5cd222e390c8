// The examination of settings that `serve`, `check`, `doctor` and `setup` share: a start refuses nothing that the
// others accept, as far as this can be determined without devices and network.

import AppLink
import FleetLink
import FleetMember
import Glibc
import HTTP
import HandsetStore
import Installation
import ServerIdentity
import SystemThreads

/// A setting that keeps the daemon from starting.
struct SettingProblem: Hashable, Sendable {
  var key: String
  var text: String
}

extension Configuration {
  /// Returns everything that a start would refuse. Files that this user may not read are left to the daemon.
  /// - Parameter hasPanelPassword: nil if that is unknown.
  func problems(hasPanelPassword: Bool?) -> [SettingProblem] {
    // A gateway has no board, sounds or panel.
    let own = fleet?.gateway == nil ? handsetProblems(hasPanelPassword: hasPanelPassword) : []
    let named = names.flatMap { name in problem("tls-names") { _ = try CertificateNames([name]) } }
    return own + named + certificateProblems + fleetProblems + pathProblems + portProblems
  }

  /// - Throws: `DaemonError` with a line for each problem.
  func refuseProblems(hasPanelPassword: Bool?) throws(DaemonError) {
    let problems = problems(hasPanelPassword: hasPanelPassword)
    if !problems.isEmpty { throw DaemonError(problems.map(\.text).joined(separator: "\n")) }
  }

  private func handsetProblems(hasPanelPassword: Bool?) -> [SettingProblem] {
    var problems: [SettingProblem] = []
    if let board {
      do throws(InstallationError) {
        _ = try ShippedBoard.description(of: board, display: display)
      } catch {
        let isDisplay = display != nil && (try? ShippedBoard.description(of: board)) != nil
        if !Configuration.isForbidden(board) {
          problems.append(SettingProblem(key: isDisplay ? "display" : "board", text: error.description))
        }
      }
    }
    problems += problem("default-sound") { _ = try systemSound() }
    if let panel, !panel.isLoopback, hasPanelPassword == false {
      let text =
        "panel \(panel): other machines can reach it there, so it needs a password. Start with --panel "
        + "\(Configuration.loopbackPanel), set one with 'deskbell panel password', and start again"
      problems.append(SettingProblem(key: "panel", text: text))
    }
    return problems
  }

  private var certificateProblems: [SettingProblem] {
    guard let own = certificate, ![own.chain, own.key].contains(where: Configuration.isForbidden) else { return [] }
    return problem("certificate", after: "certificate: ") {
      _ = try TLSIdentity(certificateChainFile: own.chain, keyFile: own.key)
    }
  }

  private func problem(
    _ key: String, after prefix: String = "", _ examine: () throws -> Void
  ) -> [SettingProblem] {
    do {
      try examine()
      return []
    } catch {
      return [SettingProblem(key: key, text: "\(prefix)\(error)")]
    }
  }

  private var fleetProblems: [SettingProblem] {
    guard let fleet else { return [] }
    var authority: [SettingProblem] = []
    if let file = fleet.authorityFile, access(file, R_OK) != 0, errno != EACCES {
      let reason = SystemError.last.reason
      authority = [SettingProblem(key: "fleet", text: "fleet: ca: \(file) cannot be read: \(reason)")]
    }
    return authority
      + (fleet.desks + [fleet.gateway].compactMap(\.self)).flatMap { member -> [SettingProblem] in
        let isForbidden = Configuration.isForbidden(member.seedFile)
        let problems = isForbidden ? [] : problem("fleet") { _ = try fleet.connection(of: member) }
        let unknown = (member.handsets ?? []).filter { !handsets.contains($0) }
        return problems
          + unknown.map { SettingProblem(key: "fleet", text: Configuration.noHandset($0, of: member).description) }
      }
  }

  static func noHandset(_ name: String, of member: FleetSettings.Member) -> DaemonError {
    DaemonError("fleet: desks: \(member.name): there is no handset '\(name)'; handsets: lists their names")
  }

  private var pathProblems: [SettingProblem] {
    var problems: [SettingProblem] = []
    if let place = Configuration.obstacle(on: state) {
      let text = "state: \(state) cannot be a directory, because \(place) is a file; name another"
      problems.append(SettingProblem(key: "state", text: text))
    }
    let key = control == nil ? "state" : "control"
    let folder = SharedFiles.parent(of: controlSocket)
    var status = stat()
    // The state directory is made at the start, other directories are not.
    if control != nil, folder != state, stat(folder, &status) != 0, errno != EACCES {
      let text = "control: the folder \(folder) of the control socket cannot be used: "
      problems.append(SettingProblem(key: key, text: text + SystemError.last.reason + "; make it first"))
    }
    let limit = HTTPAddress.unixPathLimit
    let sockets = [("control", controlSocket), ("apps'", AppLink.socket(beside: controlSocket))]
    if let (name, path) = sockets.first(where: { $0.1.utf8.count > limit }) {
      let bytes = path.utf8.count
      let text = "\(key): the \(name) socket's path has \(bytes) bytes, of at most \(limit); choose a shorter one"
      problems.append(SettingProblem(key: key, text: text))
    }
    return problems
  }

  /// Returns the first part of a folder's path that is not a folder; nil if there is none.
  private static func obstacle(on folder: String) -> String? {
    var place = folder
    var status = stat()
    while stat(place, &status) != 0, place != "/", place != "." { place = SharedFiles.parent(of: place) }
    return stat(place, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR ? place : nil
  }

  private var portProblems: [SettingProblem] {
    typealias Port = (words: String, address: Address?)
    func clash(_ key: String, _ own: Port, _ other: Port, free: Int) -> SettingProblem? {
      guard let address = own.address, let taken = other.address, address.port != 0, address.port == taken.port,
        address.host == taken.host || address.isEverywhere || taken.isEverywhere
      else { return nil }
      return SettingProblem(
        key: key,
        text: "\(own.words): \(address) is the port of \(other.words): \(taken); "
          + "choose another, such as \(address.host):\(free)")
    }
    let (main, plain, management): (Port, Port, Port) = (
      ("listen", listen), ("http: listen", http?.listen), ("channels", channels)
    )
    return [
      clash("http", plain, main, free: 2199), clash("channels", management, main, free: 2196),
      clash("channels", management, plain, free: 2196),
    ].compactMap(\.self)
  }

  /// True if the state directory has a password for the panel; nil if this user may not read it.
  var hasStoredPanelPassword: Bool? { try? HandsetStore.meta(.panelPassword, in: state) != nil }

  /// Returns whether this user may not read a file, or enter a folder on the way to it.
  private static func isForbidden(_ path: String) -> Bool { access(path, R_OK) != 0 && errno == EACCES }
}
