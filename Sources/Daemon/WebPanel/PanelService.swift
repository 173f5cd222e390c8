// The panel's port. It is a device like any other: if it cannot be opened, pushes still ring. But a port that the
// network can reach and that asks for no password is an error, which `Configuration.problems` refuses.

import HTTP
import Host
import Installation
import Logging
import NIOCore
import ServerIdentity
import Services
import WebPanel

struct PanelService: Service {
  static let deviceName = "web panel"

  /// The panel's address; nil if it is off or could not be started.
  let address: Configuration.Address?
  private let server: HTTPServer?
  private let access: PanelAccess
  private static let network = "*"
  private let placed: String
  private let open: @Sendable (Configuration.Address) async throws -> (HTTPServer, Configuration.Address)

  init(
    _ configuration: Configuration, _ control: ControlParts, routes: [Route], eventLoops: any EventLoopGroup,
    logger: Logger
  ) async throws {
    let devices = control.devices
    access = control.panel
    placed = configuration.panel?.host ?? ""
    open = { try await PanelService.open($0, configuration, control, routes, eventLoops, logger) }
    guard var wanted = configuration.panel else {
      (address, server) = (nil, nil)
      return
    }
    if wanted.isLoopback && access.isNetworkWanted { wanted.host = PanelService.network }
    do {
      (server, address) = try await open(wanted)
      devices.set(PanelService.deviceName, problem: nil)
    } catch {
      let problem = "\(PanelService.deviceName): \(error), or --panel off"
      logger.error("\(problem)")
      devices.set(PanelService.deviceName, problem: problem)
      (address, server) = (nil, nil)
    }
  }

  private static func open(
    _ wanted: Configuration.Address, _ configuration: Configuration, _ control: ControlParts, _ routes: [Route],
    _ eventLoops: any EventLoopGroup, _ logger: Logger
  ) async throws -> (HTTPServer, Configuration.Address) {
    guard let folder = SharedFiles.folder("Panel") else {
      throw DaemonError(
        "its files are nowhere to be found: looked for the folder Panel in "
          + SharedFiles.candidates.joined(separator: ", ") + "; set DESKBELL_SHARE to the folder that has it")
    }
    let (panel, tls, isSecure) = (control.panel, control.certificates.tls, !wanted.isLoopback)
    // Browsers may also use the names in the user's own certificate.
    let names = try CertificateNames.machine(extra: configuration.names).hosts.union(tls.ownCertificate?.names ?? [])
    let service = try PanelRoutes.service(
      sessions: panel.sessions, hasPassword: { panel.hasPassword }, isRight: { await panel.isRight($0, from: $1) },
      isSecure: isSecure, names: isSecure ? names : nil,
      keep: { await panel.keepSessions(by: control.host, logger: logger) }, metricsToken: control.metricsToken,
      isHealthy: { await control.health().problems.isEmpty }, folder: folder,
      made: [PanelTables.path: PanelTables.module], control: routes, executor: TaskThreads.shared,
      report: { logger.error("web panel: \($1.method) \($1.target.path): \($0)") })
    let secure: @Sendable (any Channel) throws -> Void = { try tls.secure($0) }
    let server = try await wanted.listening(other: "--panel") { host in
      try await HTTPServer.start(
        service, on: HTTPAddress.tcp(host: host, port: wanted.port), group: eventLoops,
        secure: isSecure ? secure : nil)
    }
    var bound = wanted
    if case .tcp(_, let port) = server.address { bound.port = port }
    panel.started(
      at: bound, scheme: isSecure ? "https" : "http", isOnNetwork: isSecure, certifiedHost: tls.ownCertificate?.host)
    return (server, bound)
  }

  func run(until stop: StopRequest) async {
    stop.whenMade { [access] in access.ended() }
    var (server, address) = (server, address)
    for await move in access.moves {
      guard let before = address else {
        move.done("it does not listen")
        continue
      }
      var wanted = before
      wanted.host = move.toNetwork ? PanelService.network : placed
      // The port is the same for both, so that known addresses remain valid.
      await server?.shutdown()
      do {
        (server, address) = try await open(wanted)
        move.done(nil)
      } catch {
        server = (try? await open(before))?.0
        move.done("\(error)")
      }
    }
    await server?.shutdown()
  }
}
