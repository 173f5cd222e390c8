import Testing

@testable import Commands

@Suite struct PanelReachTests {
  private func tunnel(_ link: String, _ variables: [String: String]) -> String? {
    PanelCommand.tunnel(to: link, environment: Environment(variables), user: "ada", host: "bell")
  }

  @Test func throughSSHByTheAddressThatThePersonReached() {
    let link = "http://127.0.0.1:2198/#token=x"
    #expect(
      tunnel(link, ["SSH_CONNECTION": "192.0.2.9 50000 192.0.2.1 22", "DISPLAY": ":10"])
        == "ssh -L 2198:127.0.0.1:2198 ada@192.0.2.1")
    #expect(
      tunnel(link, ["SSH_CONNECTION": "2001:db8::9 50000 2001:db8::1 2222"])
        == "ssh -p 2222 -L 2198:127.0.0.1:2198 ada@2001:db8::1")
    #expect(tunnel(link, [:]) == "ssh -L 2198:127.0.0.1:2198 ada@bell.local")
    #expect(tunnel("https://localhost:2198/#token=x", [:]) == "ssh -L 2198:127.0.0.1:2198 ada@bell.local")
    #expect(tunnel("http://[::1]:2198/#token=x", [:]) == "ssh -L 2198:[::1]:2198 ada@bell.local")
  }

  @Test func notWhereABrowserOpensIt() {
    #expect(tunnel("http://127.0.0.1:2198/#token=x", ["DISPLAY": ":0"]) == nil)
    #expect(tunnel("http://127.0.0.1:2198/#token=x", ["WAYLAND_DISPLAY": "wayland-0"]) == nil)
    #expect(tunnel("https://bell.example.org:2198/#token=x", [:]) == nil)
  }

  @Test func namesTheFirewallsThatAreActive() throws {
    let root = try Folder()
    let path = root.path
    func hints() -> [String] { PanelCommand.firewallHints(port: 2198, root: path) }
    try root.write("etc/ufw/ufw.conf", "# /etc/ufw/ufw.conf\nENABLED=no\n")
    try root.write("etc/nftables.conf", "table inet filter { chain input { type filter hook input priority filter; } }")
    try root.write("etc/systemd/system/sysinit.target.wants/nftables.service", "")
    #expect(hints() == [])
    try root.write("etc/ufw/ufw.conf", "ENABLED=yes\n")
    #expect(hints() == ["sudo ufw allow 2198/tcp"])
    try root.write("etc/nftables.conf", "table inet filter { chain input { policy drop; } }")
    try root.write("run/firewalld/state", "")
    #expect(hints().count == 3)
    #expect(hints().allSatisfy { $0.contains("2198") })
  }
}
