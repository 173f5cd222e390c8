import Crypto
import Foundation
import HandsetCore
import NIOSSL
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import ServerIdentity

private func machineNames(_ more: String...) throws -> CertificateNames { try CertificateNames(["localhost"] + more) }

private func server(in folder: String) throws -> Certificate {
  try Certificate(pemEncoded: String(contentsOfFile: folder + "/server.pem", encoding: .utf8))
}

@Suite("The terms of certificates")
struct CertificateTermsTests {
  private let temporary = try! TemporaryFolder()

  private var folder: String { temporary.path }

  @Test("An authority has critical name constraints: its machine's names and .local; addresses are not limited")
  func constraints() throws {
    let made = try CertificateAuthority.loadOrCreate(
      in: folder, now: now,
      names: machineNames("bell", "bell.local", "*.example.org", "push.example.org", "127.0.0.1", "198.51.100.7"))
    #expect(made.standing == .good)
    let authority = try Certificate(pemEncoded: made.certificatePEM)
    let found = try #require(authority.extensions[oid: .X509ExtensionID.nameConstraints])
    #expect(found.critical)
    let constraints = try NameConstraints(found)
    #expect(Array(constraints.permittedDNSDomains) == ["bell", "example.org", "local", "localhost"])
    #expect(constraints.permittedSubtrees.count == 4 && constraints.excludedSubtrees.isEmpty)
    #expect(
      try server(in: folder).alternativeNames == [
        "*.example.org", "bell", "bell.local", "localhost", "push.example.org", "127.0.0.1", "198.51.100.7",
      ])
  }

  @Test("A name that the authority does not permit is left out, and a notice says to create a new authority")
  func outside() throws {
    let first = try CertificateAuthority.loadOrCreate(in: folder, now: now, names: machineNames("bell"))
    let more = try machineNames("bell", "a.bell", "kitchen.local", "push.example.org", "nobell", "203.0.113.9")
    let left = try CertificateAuthority.load(in: folder, now: now, names: more)
    #expect(left.made == .serverCertificate)
    #expect(
      try server(in: folder).alternativeNames == ["a.bell", "bell", "kitchen.local", "localhost", "203.0.113.9"])
    #expect(
      left.standing
        == .notable([
          "the certificate authority may not certify nobell, push.example.org, of this machine or its settings: "
            + "make a new one with 'deskbell ca renew' and give it to every client"
        ]))
    #expect(try CertificateAuthority.load(in: folder, now: now, names: more).made == .nothing)

    let renewed = try CertificateAuthority.renew(in: folder, now: now, names: more)
    #expect(renewed.standing == .good)
    #expect(renewed.certificatePEM != first.certificatePEM)
    #expect(
      try server(in: folder).alternativeNames
        == ["a.bell", "bell", "kitchen.local", "localhost", "nobell", "push.example.org", "203.0.113.9"])
  }

  @Test("A certificate made by a clock that was ahead is replaced; a clock in 1970 replaces nothing")
  func clocks() throws {
    let names = try machineNames()
    func load(_ time: WallTime, _ names: CertificateNames) throws -> CertificateAuthority.Made {
      try CertificateAuthority.loadOrCreate(in: folder, now: time, names: names).made
    }
    let ahead = now.advanced(by: .seconds(5 * 365 * 86_400))
    #expect(try load(ahead, names) == .authority)
    #expect(try load(now, names) == .serverCertificate)
    #expect(try server(in: folder).notValidBefore == Date(timeIntervalSince1970: 1_795_248_000 - 86_400))
    #expect(try load(WallTime(seconds: 0), names) == .nothing)
    // A new certificate is needed; the best guess of the time is the creation of the previous one.
    #expect(try load(WallTime(seconds: 0), machineNames("bell.local")) == .serverCertificate)
    #expect(try server(in: folder).notValidBefore == Date(timeIntervalSince1970: 1_795_248_000 - 86_400))
    #expect(try load(now, names) == .nothing)
  }

  @Test("The pin stays when the server certificate is renewed, and changes with the authority")
  func pin() throws {
    let names = try machineNames()
    let first = try CertificateAuthority.loadOrCreate(in: folder, now: now, names: names)
    let key = try P256.Signing.PrivateKey(
      pemRepresentation: String(contentsOfFile: folder + "/server-key.pem", encoding: .utf8))
    let pin = "sha256//" + Data(SHA256.hash(data: key.publicKey.derRepresentation)).base64EncodedString()
    #expect(first.identity.certificate?.pin == pin)
    let second = try CertificateAuthority.load(in: folder, now: first.renewAt, names: names)
    #expect(second.made == .serverCertificate)
    #expect(second.identity.certificate?.pin == pin)
    #expect(second.identity.certificate?.pem != first.identity.certificate?.pem)
    let third = try CertificateAuthority.renew(in: folder, now: now, names: names)
    #expect(third.identity.certificate?.pin?.count == pin.count)
    #expect(third.identity.certificate?.pin != pin)
  }

  @Test("A certificate whose key is no point of its curve is shown without a pin")
  func keyOffItsCurve() throws {
    let pem = try TestCertificate().pem
    var der = try PEMDocument(pemString: pem).derBytes
    let point: [UInt8] = [0x03, 0x42, 0x00, 0x04]
    let start = try #require(der.indices.first { der[$0...].starts(with: point) })
    der[start + 40] ^= 1
    let shown = try ServerCertificate(NIOSSLCertificate(bytes: der, format: .der), file: nil)
    #expect(shown.pin == nil)
    #expect(shown.pem == PEMDocument(type: "CERTIFICATE", derBytes: der).pemString)
  }
}
