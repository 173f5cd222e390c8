// A request with an access key, for the front end of ntfy, Gotify or the hooks: method and path on the first line,
// header fields, an empty line, the body.

import HTTP
import HandsetCore
import NIOEmbedded

@testable import PushPort

func runKeyedRequest(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  var rest = bytes[...]
  let words = nextLine(&rest)?.split(separator: UInt8(ascii: " "), maxSplits: 1) ?? []
  guard words.count == 2, let target = RequestTarget(String(decoding: words[1], as: UTF8.self)) else { return }
  var fields = HeaderFields()
  while let line = nextLine(&rest), !line.isEmpty {
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    let value = line[colon...].dropFirst().drop { $0 == UInt8(ascii: " ") }
    fields.add(String(decoding: value, as: UTF8.self), for: String(decoding: line[..<colon], as: UTF8.self))
  }
  let head = RequestHead(
    method: String(decoding: words[0], as: UTF8.self), path: target.originForm, headers: fields)
  let receiver = FuzzedReceiver()
  do {
    let port = try Port(receiver, keyedProviders.get(), eventLoop: EmbeddedEventLoop())
    let keyed = KeyedFrontEnds(
      receiver, providers: port.providers, templates: try HookTemplate.ready(), limits: .standard)
    let client = Client(
      port: port, frontEnds: keyed.frontEnds() + [NoFrontEnd()], address: nil, ipAddress: "127.0.0.1", certificate: nil,
      provider: nil,
      transport: .init(authenticated: { _ in }, end: { _ in }))
    switch client.open(head) {
    case .answer: break
    case .read(let exchange):
      if rest.count > exchange.bodyLimit {
        _ = exchange.refuse(HTTPError(413, "the body is too large"))
      } else {
        exchange.receive(Array(rest), of: rest.count) { _ in }
      }
    }
  } catch {
    throw FuzzTarget.Finding(description: "no port: \(error)")
  }
  if let finding = receiver.finding { throw finding }
}

/// The providers of the keys in the corpus, one for each template.
private let keyedProviders = Result {
  let topics = [HandsetInUse.mail].compactMap(\.self)
  return [
    try Provider(
      name: "parcels", topics: topics, credential: .topic(KeyedApp(key: AccessKey("tk_parcels"), handset: nil)))
  ]
    + (try HookTemplate.ready().keys.sorted().map { template in
      try Provider(
        name: "hook-\(template)", topics: topics,
        credential: .hook(KeyedApp(key: AccessKey("tk_\(template)"), handset: nil), template: template))
    })
}
