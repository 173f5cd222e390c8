import PushPort
import ServerIdentity

/// The push port in front of the host, with its certificate and its providers.
struct FrontEnds: Sendable {
  let port: PortService
  let certificates: CertificatesResource
  let providers: ProvidersResource

  init(_ runtime: Runtime, _ stored: StoredState, host: RunningHost, machine: MachineAddress) async throws {
    let tls = ServerTLS()
    port = try await PortService(
      runtime, receiver: PushAdapter(queue: host.queue, handsets: stored.handsets, host: host.host),
      providers: stored.providers, tls: tls)
    certificates = CertificatesResource(tls: tls, renewal: port.renewal, machine: machine)
    providers = try ProvidersResource(host: host.host, directory: stored.providers)
  }
}
