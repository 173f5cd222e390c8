import HTTPRoutes
import ServiceLifecycle

/// The Unix socket that the commands talk to.
struct ControlService: Service {
  let server: HTTPServer

  func run() async {
    try? await gracefulShutdown()
    await server.shutdown()
  }
}
