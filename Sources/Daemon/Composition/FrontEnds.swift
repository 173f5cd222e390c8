import PushPort
import ServerIdentity

/// The push port in front of the host, with its certificate and its providers.
struct FrontEnds: Sendable {
  let port: PortService
  let tls = ServerTLS()
  let certificates: CertificatesResource
  let providers: ProvidersResource
  let directory: ProviderDirectory

  init(_ runtime: Runtime, _ stored: StoredState, host: RunningHost, machine: MachineAddress) async throws {
    port = try await PortService(
      runtime, receiver: PushAdapter(queue: host.queue, handsets: stored.handsets, host: host.host),
      providers: stored.providers, tls: tls)
    directory = stored.providers
    certificates = CertificatesResource(tls: tls, renewal: port.renewal, machine: machine)
    providers = ProvidersResource(
      host: host.host, directory: directory, testProvider: try TestProvider())
  }
}
