// What a sound looks like, for whoever draws the speaker.

import HTTPRoutes
import HandsetCore

extension ControlRoutes {
  @Sendable func waveform(_ request: HTTPRequest) async throws -> HTTPResponse {
    try request.requireQuery("app")
    let name = try request.parameter("name")
    guard name.utf8.count <= ControlLimits.soundNameBytes else {
      throw ControlError(404, "no sound has a name of more than \(ControlLimits.soundNameBytes) bytes")
    }
    return try .json(await backend.waveform(of: name, app: queriedApp(request)))
  }
}
