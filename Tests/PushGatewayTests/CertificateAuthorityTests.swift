// The appliance's own certificates: what they cover, who may read their keys, when they are made anew.

import Foundation
import HandsetCore
import NIOSSL
import Testing
import X509

@testable import PushGateway

private let day: Int64 = 86_400
private let names = try! CertificateNames(["localhost", "Bell.local", "127.0.0.1", "::1"])

private func time(days: Int64) -> WallTime { WallTime(seconds: 1_795_248_000 + days * day) }

private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

@Suite("Certificate authority")
struct CertificateAuthorityTests {
  @Test("The first start makes both, with private keys that only the owner reads")
  func first() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let made = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      #expect(made.made == .authority)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: tls).sorted() == [
          "ca-key.pem", "ca.pem", "server-key.pem", "server.pem",
        ])
      #expect(try mode(tls) == 0o700)
      #expect(try mode(tls + "/ca-key.pem") == 0o600)
      #expect(try mode(tls + "/server-key.pem") == 0o600)
      #expect(try text(tls + "/ca.pem") == made.certificatePEM)
    }
  }

  @Test("The certificates say what clients check")
  func content() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let made = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let authority = try Certificate(pemEncoded: text(tls + "/ca.pem"))
      let server = try Certificate(pemEncoded: text(tls + "/server.pem"))
      #expect(authority.publicKey.isValidSignature(server.signature, for: server))
      #expect(server.issuer == authority.subject)
      #expect(try authority.extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
      #expect(try server.extensions.basicConstraints == .notCertificateAuthority)
      #expect(try server.extensions.keyUsage == KeyUsage(digitalSignature: true))
      #expect(
        try server.extensions.authorityKeyIdentifier?.keyIdentifier
          == authority.extensions.subjectKeyIdentifier?.keyIdentifier)
      let covered = try CertificateNames(server)
      #expect(covered.hosts == ["localhost", "bell.local"])
      #expect(covered.addresses == [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]])
      let start = Date(timeIntervalSince1970: 1_577_836_800)
      #expect(authority.notValidBefore == start)
      #expect(server.notValidBefore == start)
      #expect(authority.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 3_650 * 86_400))
      #expect(server.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 397 * 86_400))
      #expect(made.renewAt == time(days: 367))
    }
  }

  @Test("Nothing is made while nothing is due; 30 days before its end the server's is, by the same authority")
  func renewal() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let first = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let server = try text(tls + "/server.pem")
      let almost = try CertificateAuthority.loadOrCreate(
        in: tls, now: time(days: 367).advanced(by: .seconds(-1)), names: names)
      #expect(almost.made == .nothing)
      #expect(try text(tls + "/server.pem") == server)
      let due = try CertificateAuthority.loadOrCreate(in: tls, now: time(days: 367), names: names)
      #expect(due.made == .serverCertificate)
      #expect(due.certificatePEM == first.certificatePEM)
      #expect(try text(tls + "/server.pem") != server)
      #expect(try mode(tls + "/server-key.pem") == 0o600)
    }
  }

  @Test("A name more makes a new server certificate, one less does not")
  func changedNames() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let first = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let fewer = try CertificateNames(["localhost"])
      #expect(try CertificateAuthority.loadOrCreate(in: tls, now: now, names: fewer).made == .nothing)
      let more = try CertificateNames(["localhost", "bell.local", "192.168.1.7"])
      let renewed = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: more)
      #expect(renewed.made == .serverCertificate)
      #expect(renewed.certificatePEM == first.certificatePEM)
    }
  }

  @Test("Made before the clock was set they are good once it is; a clock that steps past them makes them anew")
  func clockSteps() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let unset = try CertificateAuthority.loadOrCreate(in: tls, now: WallTime(seconds: 0), names: names)
      #expect(unset.renewAt == WallTime(seconds: 1_767_225_600 + 367 * day))
      // From 1970 to today: the authority stays.
      let today = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      #expect(today.made == .nothing)
      #expect(today.certificatePEM == unset.certificatePEM)
      let late = try CertificateAuthority.loadOrCreate(in: tls, now: time(days: 4_000), names: names)
      #expect(late.made == .authority)
      #expect(late.certificatePEM != unset.certificatePEM)
    }
  }

  @Test("A server certificate never outlives its authority")
  func authorityEnds() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      _ = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let late = try CertificateAuthority.loadOrCreate(in: tls, now: time(days: 3_500), names: names)
      #expect(late.made == .serverCertificate)
      let server = try Certificate(pemEncoded: text(tls + "/server.pem"))
      #expect(server.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 3_650 * 86_400))
      // There is nothing to gain from renewing it, until the authority itself has ended.
      #expect(late.renewAt == time(days: 3_650))
      let last = try CertificateAuthority.loadOrCreate(in: tls, now: time(days: 3_649), names: names)
      #expect(last.made == .nothing)
      #expect(try CertificateAuthority.loadOrCreate(in: tls, now: late.renewAt, names: names).made == .authority)
    }
  }

  @Test("Interrupted at first start, it begins again; a broken authority is told, and stays as it is")
  func interrupted() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      _ = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      try FileManager.default.removeItem(atPath: tls + "/ca.pem")
      #expect(try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names).made == .authority)
      try FileManager.default.removeItem(atPath: tls + "/server.pem")
      #expect(try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names).made == .serverCertificate)
      try FileManager.default.copyItem(atPath: tls + "/server-key.pem", toPath: folder + "/other.pem")
      try FileManager.default.removeItem(atPath: tls + "/ca-key.pem")
      try FileManager.default.moveItem(atPath: folder + "/other.pem", toPath: tls + "/ca-key.pem")
      let before = try text(tls + "/ca.pem")
      let error = #expect(throws: CertificateAuthorityError.self) {
        try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      }
      #expect(error?.file == tls + "/ca-key.pem")
      #expect(try text(tls + "/ca.pem") == before)
      try FileManager.default.removeItem(atPath: tls + "/ca-key.pem")
      #expect(throws: CertificateAuthorityError.self) {
        try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      }
    }
  }

  @Test("A server key that is not its certificate's is replaced with it")
  func mixedUp() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      _ = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      try text(tls + "/ca-key.pem").write(toFile: tls + "/server-key.pem", atomically: false, encoding: .utf8)
      #expect(try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names).made == .serverCertificate)
    }
  }

  @Test("A folder that others could enter is closed to them; one that cannot be made is named")
  func folders() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      try FileManager.default.createDirectory(
        atPath: tls, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
      _ = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      #expect(try mode(tls) == 0o700)
      let error = #expect(throws: CertificateAuthorityError.self) {
        try CertificateAuthority.loadOrCreate(in: folder + "/none/tls", now: now, names: names)
      }
      #expect(error?.file == folder + "/none/tls")
    }
  }

  @Test("The user's own files are taken, or the one that is wrong is named")
  func ownFiles() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      _ = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let (certificate, key) = (tls + "/server.pem", tls + "/server-key.pem")
      let identity = try TLSIdentity(certificateChainFile: certificate, keyFile: key)
      #expect(identity.certificate?.file == certificate)
      #expect(try identity.certificate?.pem == text(certificate).trimmingCharacters(in: .newlines))
      #expect(Set(identity.certificate?.names ?? []) == ["localhost", "bell.local", "127.0.0.1", "::1"])
      func file(_ certificate: String, _ key: String) -> String? {
        let error = #expect(throws: TLSIdentityError.self) {
          try TLSIdentity(certificateChainFile: certificate, keyFile: key)
        }
        return error?.file
      }
      #expect(file(tls + "/none.pem", key) == tls + "/none.pem")
      #expect(file(key, key) == key)
      #expect(file(certificate, certificate) == certificate)
      #expect(file(certificate, tls + "/ca-key.pem") == tls + "/ca-key.pem")
    }
  }
}

@Suite("What is known of the port's certificate")
struct ServerCertificateTests {
  @Test(
    "It is found good by its own name, else by one that it stands for, else by its address",
    arguments: [
      (["*.example.org", "bell.example.org", "10.0.0.1"], "bell.example.org"),
      (["*.example.org", "10.0.0.1"], "deskbell.example.org"), (["fd00::1"], "fd00::1"),
    ])
  func host(_ names: [String], _ host: String) async throws {
    try await withTemporaryFolder { folder in
      let made = try CertificateAuthority.loadOrCreate(in: folder + "/tls", now: now, names: CertificateNames(names))
      #expect(made.identity.certificate?.host == host)
    }
  }

  @Test("The door shows which it is, and whether it is the user's own")
  func door() async throws {
    try await withTemporaryFolder { folder in
      let tls = folder + "/tls"
      let made = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
      let door = TLSDoor()
      #expect(door.certificate == nil)
      try door.use(made.identity)
      #expect(door.certificate != nil && door.ownCertificate == nil)
      let file = tls + "/server.pem"
      try door.use(TLSIdentity(certificateChainFile: file, keyFile: tls + "/server-key.pem"))
      #expect(door.ownCertificate?.file == file)
      #expect(door.ownCertificate?.pem == made.identity.certificate?.pem)
    }
  }
}

@Suite("Names in certificates")
struct CertificateNamesTests {
  @Test("Names and addresses are told apart; what is neither is named")
  func parsing() throws {
    let names = try CertificateNames(["A.example.ORG", "10.0.0.1", "fe80::1", "*.example.org"])
    #expect(names.hosts == ["a.example.org", "*.example.org"])
    #expect(names.addresses.map(\.count).sorted() == [4, 16])
    let bad = ["", "a b", "-a", "a-", "a..b", "http://a", "a:1", "*", "*.org", String(repeating: "a", count: 64)]
    for name in bad {
      #expect(throws: CertificateNameError(name: name)) { try CertificateNames([name]) }
    }
  }

  @Test("Those of the machine include localhost, both loopback addresses, its name, and the extra ones")
  func machine() throws {
    let names = try CertificateNames.machine(extra: ["api.push.example"])
    #expect(names.hosts.isSuperset(of: ["localhost", "api.push.example"]))
    #expect(names.hosts.contains { $0.hasSuffix(".local") })
    #expect(names.addresses.isSuperset(of: [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]]))
  }
}
