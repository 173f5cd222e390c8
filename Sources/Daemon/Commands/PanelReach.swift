// The ways to the panel from another machine's browser: through SSH, or through this machine's firewall.

import FoundationEssentials
import Glibc

enum PanelReach {
  /// Returns the command for the user's own machine that forwards a link through SSH. Nil if the link is valid for
  /// other machines, or a browser of this machine can probably open it.
  /// - Parameters:
  ///   - link: the output of `deskbell panel`.
  ///   - user: the user who is signed in here.
  ///   - host: this machine's name.
  static func tunnel(to link: String, environment: Environment, user: String, host: String) -> String? {
    guard let (target, port) = loopback(in: link) else { return nil }
    var place = host.contains(".") ? host : "\(host).local"
    var option = ""
    // The client's address and port, and the server's address and port that the client used [ssh(1)].
    let session = environment["SSH_CONNECTION"]?.split(separator: " ") ?? []
    if session.count == 4 {
      place = String(session[2])
      if session[3] != "22" { option = "-p \(session[3]) " }
    } else if environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil {
      return nil
    }
    return "ssh \(option)-L \(port):\(target):\(port) \(user)@\(place)"
  }

  /// Returns the address and port of a link to loopback.
  private static func loopback(in link: String) -> (target: String, port: String)? {
    // The scheme, an empty part, the authority, the rest.
    let parts = link.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    let authority = parts[2]
    guard let colon = authority.lastIndex(of: ":"), authority.last != "]" else { return nil }
    let (host, port) = (authority[..<colon], String(authority[authority.index(after: colon)...]))
    switch host {
    case "localhost": return ("127.0.0.1", port)
    case "[::1]": return ("[::1]", port)
    default: return host.hasPrefix("127.") ? (String(host), port) : nil
    }
  }

  /// Returns commands that open the port in this machine's active firewalls.
  /// - Parameter root: the folder with the system's files.
  static func firewallHints(port: Int, root: String = "") -> [String] {
    func text(_ path: String) -> String {
      FileManager.default.contents(atPath: root + path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    var hints: [String] = []
    if text("/etc/ufw/ufw.conf").split(separator: "\n").contains("ENABLED=yes") {
      hints.append("sudo ufw allow \(port)/tcp")
    }
    if access("\(root)/run/firewalld", F_OK) == 0 {
      hints.append("sudo firewall-cmd --permanent --add-port=\(port)/tcp && sudo firewall-cmd --reload")
    }
    // The service loads rules and ends; the rules that Debian ships accept all input.
    if access("\(root)/etc/systemd/system/sysinit.target.wants/nftables.service", F_OK) == 0,
      text("/etc/nftables.conf").contains("policy drop")
    {
      hints.append("sudo nft insert rule inet filter input tcp dport \(port) accept   # and in /etc/nftables.conf")
    }
    return hints
  }

  /// Returns the user who signed in here, even if sudo runs the command.
  static func user(_ environment: Environment) -> String {
    environment["SUDO_USER"] ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "USER"
  }
}
