// A provider's credential or the port's certificate from a user: text that should be PEM.

import FoundationEssentials
import HandsetCore
import NIOEmbedded
import NIOSSL

@testable import PushPort
@testable import ServerIdentity

func runCredential(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let text = String(decoding: bytes, as: UTF8.self)
  try runProvider(text) { .certificate(try ProviderCertificate(pem: text)) }
  try runProvider(text) {
    .token(teamID: "TEAM567890", keyID: "KEY4567890", publicKey: try ProviderKey(pem: text), environment: .both)
  }
  // Not the whole identity: NIOSSL leaks a context if its key does not match the certificate.
  for certificate in (try? NIOSSLCertificate.fromPEMBytes(bytes)) ?? [] {
    _ = try? ServerCertificate(certificate, file: nil)
  }
}

/// Checks that an accepted credential is stored without a private key, and is unchanged when read again.
private func runProvider(_ text: String, _ credential: () throws -> Provider.Credential) throws(FuzzTarget.Finding) {
  let provider: Provider
  do {
    let apps = [HandsetInUse.mail].compactMap(\.self)
    provider = try Provider(name: "fuzz", topics: apps, credential: credential())
  } catch {
    let words = "\(error)"
    try hold(words.utf8.count <= 1024, "a reason of \(words.utf8.count) bytes")
    return
  }
  do {
    let stored = try JSONEncoder().encode(provider)
    try hold(!stored.contains(Data("PRIVATE KEY".utf8)), "a private key is stored")
    try hold(try JSONDecoder().decode(Provider.self, from: stored) == provider, "it is another when it is read")
    guard case .certificate(let certificate) = provider.credential else { return }
    for now in [WallTime(microseconds: .min), HandsetInUse.now.wall, WallTime(microseconds: .max)] {
      var client = ClientCertificate(certificate.fingerprint)
      let port = try Port(FuzzedReceiver(), [provider], eventLoop: EmbeddedEventLoop(), at: now)
      _ = try? client.provider(in: port)
    }
  } catch {
    throw error as? FuzzTarget.Finding ?? FuzzTarget.Finding(description: "what was taken is not: \(error)")
  }
}
