import Foundation
import HandsetCore
import HeldFolders
import NIOSSL
import TestSupport
import Testing
import X509

@testable import PushPort
@testable import ServerIdentity

private let day: Int64 = 86_400
private let names = try! CertificateNames(["localhost", "Bell.local", "127.0.0.1", "::1"])

private func time(days: Int64) -> WallTime { WallTime(seconds: 1_795_248_000 + days * day) }

private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

@Suite("Certificate authority")
struct CertificateAuthorityTests {
  private let folder = try! TemporaryFolder()

  private var tls: String { folder.path + "/tls" }

  private func start(at time: WallTime = now, with wanted: CertificateNames = names) throws -> CertificateAuthority {
    try CertificateAuthority.loadOrCreate(in: tls, now: time, names: wanted)
  }

  private func load(at time: WallTime = now, with wanted: CertificateNames = names) throws -> CertificateAuthority {
    try CertificateAuthority.load(in: tls, now: time, names: wanted)
  }

  private func renew(at time: WallTime = now) throws -> CertificateAuthority {
    try CertificateAuthority.renew(in: tls, now: time, names: names)
  }

  @Test("The first start creates an authority and a certificate, with keys that only the owner may read")
  func first() throws {
    let made = try start()
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

  @Test("The certificates say what clients check")
  func content() throws {
    let made = try start()
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
    let covered = try CertificateNames(server.alternativeNames)
    #expect(covered.hosts == ["localhost", "bell.local"])
    #expect(covered.addresses == [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]])
    let usage = try ExtendedKeyUsage([.serverAuth])
    #expect(try authority.extensions.extendedKeyUsage == usage)
    #expect(try server.extensions.extendedKeyUsage == usage)
    #expect(authority.notValidBefore == Date(timeIntervalSince1970: 1_577_836_800))
    #expect(server.notValidBefore == Date(timeIntervalSince1970: 1_795_248_000 - 86_400))
    #expect(authority.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 3_650 * 86_400))
    #expect(server.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 396 * 86_400))
    // Renewal is due after two thirds of the 397 days.
    #expect(made.renewAt == time(days: -1).advanced(by: .seconds(397 * 86_400 / 3 * 2)))
  }

  @Test("The server certificate is renewed by the same authority after two thirds of its life, not before")
  func renewal() throws {
    let first = try start()
    let server = try text(tls + "/server.pem")
    let almost = try start(at: first.renewAt.advanced(by: .seconds(-1)))
    #expect(almost.made == .nothing)
    #expect(try text(tls + "/server.pem") == server)
    let due = try start(at: first.renewAt)
    #expect(due.made == .serverCertificate)
    #expect(due.certificatePEM == first.certificatePEM)
    #expect(try text(tls + "/server.pem") != server)
    #expect(try mode(tls + "/server-key.pem") == 0o600)
  }

  @Test("An additional name causes a new server certificate, a missing one does not")
  func changedNames() throws {
    let first = try start()
    let fewer = try CertificateNames(["localhost"])
    #expect(try start(with: fewer).made == .nothing)
    let more = try CertificateNames(["localhost", "bell.local", "192.168.1.7"])
    let renewed = try start(with: more)
    #expect(renewed.made == .serverCertificate)
    #expect(renewed.certificatePEM == first.certificatePEM)
  }

  @Test("A wrong clock replaces neither the authority nor its last server certificate; the text says what to do")
  func clockSteps() throws {
    let unset = try start(at: WallTime(seconds: 0))
    #expect(unset.renewAt == WallTime(seconds: 1_767_225_600 - day + 397 * day / 3 * 2))
    // From 1970 to today, the authority stays.
    let today = try start()
    #expect(today.made == .serverCertificate)
    #expect(today.certificatePEM == unset.certificatePEM)
    #expect(today.standing == .good)
    let before = try ["ca.pem", "ca-key.pem", "server.pem", "server-key.pem"].map { try text("\(tls)/\($0)") }
    // The clock goes 15 years ahead once, and back.
    let ahead = try start(at: time(days: 15 * 365))
    #expect(ahead.made == .nothing)
    #expect(ahead.certificatePEM == unset.certificatePEM)
    #expect(
      ahead.standing
        == .ended(
          "the certificate authority ended on 2035-12-30 by this machine's clock, which shows 2041-11-17: set the "
            + "clock if it is wrong, else make a new authority with 'deskbell ca renew' and give it to every client"))
    #expect(try load().made == .nothing)
    let after = try ["ca.pem", "ca-key.pem", "server.pem", "server-key.pem"].map { try text("\(tls)/\($0)") }
    #expect(before == after)
    // The same authority covers an additional name.
    let more = try CertificateNames(["localhost", "bell.local", "192.168.1.7"])
    let renamed = try load(at: time(days: 15 * 365), with: more)
    #expect(renamed.made == .serverCertificate)
    #expect(renamed.certificatePEM == unset.certificatePEM)
    #expect(try load(at: time(days: 15 * 365), with: more).made == .nothing)
  }

  @Test("A server certificate ends with its authority; 90 days before, the end is announced")
  func authorityEnds() throws {
    let first = try start()
    let late = try start(at: time(days: 3_500))
    #expect(late.made == .serverCertificate)
    let server = try Certificate(pemEncoded: text(tls + "/server.pem"))
    #expect(server.notValidAfter == Date(timeIntervalSince1970: 1_795_248_000 + 3_650 * 86_400))
    // Renewing it cannot extend its validity.
    #expect(late.renewAt == time(days: 3_650))
    let notice = time(days: 3_650 - 90)
    func standing(_ time: WallTime) throws -> CertificateAuthority.Standing {
      let loaded = try load(at: time)
      #expect(loaded.made == .nothing)
      #expect(loaded.certificatePEM == first.certificatePEM)
      return loaded.standing
    }
    #expect(try standing(notice.advanced(by: .microseconds(-1))) == .good)
    let soon = CertificateAuthority.Standing.notable([
      "the certificate authority ends on 2036-11-18: make a new one with 'deskbell ca renew' before that and give it "
        + "to every client"
    ])
    #expect(try standing(notice) == soon)
    #expect(try standing(late.renewAt.advanced(by: .microseconds(-1))) == soon)
    guard case .ended = try standing(late.renewAt) else {
      Issue.record("it has not ended")
      return
    }
  }

  @Test("A renewed authority issues the server certificate; the old one is kept, readable by the owner only")
  func renewed() throws {
    let first = try start()
    let key = try text(tls + "/ca-key.pem")
    let second = try renew()
    #expect(second.made == .authority)
    #expect(second.standing == .good)
    #expect(second.certificatePEM != first.certificatePEM)
    let kept = ["ca-replaced-2026-11-21T080000Z.pem", "ca-key-replaced-2026-11-21T080000Z.pem"].map { "\(tls)/\($0)" }
    #expect(second.replaced == kept)
    #expect(try text(kept[0]) == first.certificatePEM)
    #expect(try text(kept[1]) == key)
    #expect(try kept.map(mode) == [0o600, 0o600])
    #expect(try mode(tls + "/ca-key.pem") == 0o600)
    #expect(try mode(tls + "/ca.pem") == 0o644)
    let authority = try Certificate(pemEncoded: text(tls + "/ca.pem"))
    let server = try Certificate(pemEncoded: text(tls + "/server.pem"))
    #expect(authority.publicKey.isValidSignature(server.signature, for: server))
    #expect(try load().certificatePEM == second.certificatePEM)
    // A second renewal within the same second must not overwrite the kept files.
    #expect(throws: IdentityError.self) { try renew() }
    #expect(try text(kept[0]) == first.certificatePEM)
    #expect(try text(tls + "/ca.pem") == second.certificatePEM)
    // A renewal replaces a damaged authority too.
    try FileManager.default.removeItem(atPath: tls + "/ca-key.pem")
    let third = try renew(at: now.advanced(by: .seconds(1)))
    #expect(third.replaced == [tls + "/ca-replaced-2026-11-21T080001Z.pem"])
  }

  @Test("An interrupted first start is repeated; a damaged authority is an error and is not changed")
  func interrupted() throws {
    func problem(_ body: () throws -> CertificateAuthority) -> IdentityError? {
      #expect(throws: IdentityError.self) { try body() }
    }
    func damage() -> String? {
      let error = problem { try start() }
      #expect(error == problem { try load() })
      return error?.description
    }
    let advice =
      "restore ca.pem and ca-key.pem, from a backup or from what a renewal kept beside them, or remove both to have "
      + "new ones made, which all clients must then be given"
    let first = try start()
    try FileManager.default.copyItem(atPath: tls, toPath: folder.path + "/good")
    func restore() throws {
      try FileManager.default.removeItem(atPath: tls)
      try FileManager.default.copyItem(atPath: folder.path + "/good", toPath: tls)
    }

    // Only the certificate is missing: its key must not be lost with it.
    try FileManager.default.removeItem(atPath: tls + "/ca.pem")
    #expect(damage() == "\(tls)/ca.pem: is missing, and its key is there; \(advice)")
    #expect(try text(tls + "/ca-key.pem") == text(folder.path + "/good/ca-key.pem"))
    // A dangling link is no first start either.
    try FileManager.default.createSymbolicLink(atPath: tls + "/ca.pem", withDestinationPath: folder.path + "/unmounted")
    #expect(damage()?.hasPrefix("\(tls)/ca.pem: it or ca-key.pem cannot be read") == true)

    try restore()
    try FileManager.default.removeItem(atPath: tls + "/ca-key.pem")
    #expect(damage()?.hasPrefix("\(tls)/ca.pem: it or ca-key.pem cannot be read") == true)
    try Data().write(to: URL(fileURLWithPath: tls + "/ca-key.pem"))
    #expect(damage()?.hasPrefix("\(tls)/ca.pem: it or ca-key.pem cannot be read") == true)
    try text(tls + "/server-key.pem").write(toFile: tls + "/ca-key.pem", atomically: false, encoding: .utf8)
    #expect(damage() == "\(tls)/ca-key.pem: is not the key of ca.pem; \(advice)")
    #expect(try text(tls + "/ca.pem") == first.certificatePEM)

    // The server's own files are created again.
    try restore()
    try FileManager.default.removeItem(atPath: tls + "/server.pem")
    #expect(try load().made == .serverCertificate)
    // Both authority files are gone: only a start makes new ones, after removing the old authority's certificates.
    for file in ["ca.pem", "ca-key.pem"] { try FileManager.default.removeItem(atPath: "\(tls)/\(file)") }
    let gone = problem { try load() }
    #expect(
      gone?.description == "\(tls)/ca.pem: is missing; restore it and ca-key.pem, or all clients need a new one")
    #expect(try start().made == .authority)
    // Interrupted after its key, with nothing issued.
    try FileManager.default.removeItem(atPath: tls)
    try FileManager.default.createDirectory(atPath: tls, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: folder.path + "/good/ca-key.pem", toPath: tls + "/ca-key.pem")
    #expect(try start().made == .authority)
  }

  @Test("A server key that does not match its certificate is replaced together with it")
  func mixedUp() throws {
    _ = try start()
    try text(tls + "/ca-key.pem").write(toFile: tls + "/server-key.pem", atomically: false, encoding: .utf8)
    #expect(try start().made == .serverCertificate)
  }

  @Test("The folder is made private; the error names a folder that cannot be made")
  func folders() throws {
    try FileManager.default.createDirectory(
      atPath: tls, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    _ = try start()
    #expect(try mode(tls) == 0o700)
    let error = #expect(throws: IdentityError.self) {
      try CertificateAuthority.loadOrCreate(in: tls + "/ca.pem/tls", now: now, names: names)
    }
    #expect(error?.file == tls + "/ca.pem")
  }

  @Test("The target of a symbolic link keeps its permissions")
  func links() throws {
    let victim = folder.path + "/victim"
    _ = try start()
    try FileManager.default.moveItem(atPath: tls + "/ca.pem", toPath: victim)
    try FileManager.default.createSymbolicLink(atPath: tls + "/ca.pem", withDestinationPath: victim)
    _ = try renew()
    #expect(try mode(victim) == 0o644)
  }

  /// For a user other than root, their own link is one of another user.
  @Test("Root does not follow another user's link to the folder")
  func folderLink() throws {
    let victim = folder.path + "/victim"
    try FileManager.default.createDirectory(
      atPath: victim, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    try FileManager.default.createSymbolicLink(atPath: tls, withDestinationPath: victim)
    if geteuid() == 0 { try #require(lchown(tls, 12_345, 12_345) == 0) }
    let error = #expect(throws: IdentityError.self) {
      try HeldFolder.$linkUser.withValue(0) { try start() }
    }
    #expect(error?.file == tls)
    #expect(try mode(victim) == 0o755)
    #expect(try FileManager.default.contentsOfDirectory(atPath: victim) == [])
  }

  @Test("The user's own files are used, or the error names the wrong one")
  func ownFiles() throws {
    _ = try start()
    let (certificate, key) = (tls + "/server.pem", tls + "/server-key.pem")
    let identity = try TLSIdentity(certificateChainFile: certificate, keyFile: key)
    #expect(identity.certificate?.file == certificate)
    #expect(try identity.certificate?.pem == text(certificate).trimmingCharacters(in: .newlines))
    #expect(Set(identity.certificate?.names ?? []) == ["localhost", "bell.local", "127.0.0.1", "::1"])
    func file(_ certificate: String, _ key: String) -> String? {
      let error = #expect(throws: IdentityError.self) {
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

@Suite("The port's certificate")
struct ServerCertificateTests {
  private let folder = try! TemporaryFolder()

  private var tls: String { folder.path + "/tls" }

  @Test(
    "The name to connect to: its own name, else a name that a wildcard covers, else its address",
    arguments: [
      (["*.example.org", "bell.example.org", "10.0.0.1"], "bell.example.org"),
      (["*.example.org", "10.0.0.1"], "deskbell.example.org"), (["fd00::1"], "fd00::1"),
    ])
  func host(_ names: [String], _ host: String) throws {
    let made = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: CertificateNames(names))
    #expect(made.identity.certificate?.host == host)
  }

  @Test("ServerTLS has the certificate, and knows if it is the user's own")
  func door() throws {
    let made = try CertificateAuthority.loadOrCreate(in: tls, now: now, names: names)
    let door = ServerTLS()
    #expect(door.certificate == nil)
    try door.use(made.identity)
    #expect(door.certificate != nil && door.ownCertificate == nil)
    let file = tls + "/server.pem"
    try door.use(TLSIdentity(certificateChainFile: file, keyFile: tls + "/server-key.pem"))
    #expect(door.ownCertificate?.file == file)
    #expect(door.ownCertificate?.pem == made.identity.certificate?.pem)
  }
}

@Suite("Names in certificates")
struct CertificateNamesTests {
  @Test("Names and addresses are recognised; the error names text that is neither")
  func parsing() throws {
    let names = try CertificateNames(["A.example.ORG", "10.0.0.1", "fe80::1", "*.example.org"])
    #expect(names.hosts == ["a.example.org", "*.example.org"])
    #expect(names.addresses.map(\.count).sorted() == [4, 16])
    let bad = ["", "a b", "-a", "a-", "a..b", "http://a", "a:1", "*", "*.org", String(repeating: "a", count: 64)]
    for name in bad {
      #expect(throws: CertificateNameError(name: name)) { try CertificateNames([name]) }
    }
  }

  @Test("The machine's names include localhost, both loopback addresses, its name and the extra ones")
  func machine() throws {
    let names = try CertificateNames.machine(extra: ["api.push.example"])
    #expect(names.hosts.isSuperset(of: ["localhost", "api.push.example"]))
    #expect(names.hosts.contains { $0.hasSuffix(".local") })
    #expect(names.addresses.isSuperset(of: [[127, 0, 0, 1], Array(repeating: 0, count: 15) + [1]]))
  }
}
