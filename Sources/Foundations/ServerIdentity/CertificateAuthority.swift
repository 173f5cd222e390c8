// The daemon is its own certificate authority, so TLS needs no other. Clients trust the authority's certificate, so
// only the user replaces it: never a clock or a damaged file. The server's certificate is renewed when it is due.

import FoundationEssentials
import Glibc
import HandsetCore
import HeldFolders
import NIOSSL
import X509

/// The authority in a folder of its own (0700): `ca.pem`, `ca-key.pem`, `server.pem`, `server-key.pem`; keys are 0600.
public struct CertificateAuthority: Sendable {
  public let certificatePEM: String
  public let identity: TLSIdentity
  public let made: Made
  /// The time to load it again, to renew the server's certificate.
  public let renewAt: WallTime
  public let standing: Standing
  /// The files in which `renew` kept the replaced ones.
  public let replaced: [String]

  public enum Made: Hashable, Sendable {
    case nothing
    case serverCertificate
    /// The authority and the server's certificate: clients must be given the new authority.
    case authority
  }

  public enum Standing: Hashable, Sendable {
    case good
    /// The authority ends soon, or does not permit all names. The texts tell the user what to do.
    case notable([String])
    /// The authority has ended, or the clock is wrong. The text tells the user what to do.
    case ended(String)
  }

  public static let authorityLifetime: Duration = .seconds(10 * 365 * 86_400)
  /// The time from the first to the last moment of a server certificate; Apple's systems accept at most 825 days. It is
  /// renewed after two thirds of that.
  public static let serverLifetime: Duration = .seconds(397 * 86_400)
  /// The time by which a server certificate begins before it is made: clocks of clients may be behind.
  public static let serverLead: Duration = .seconds(86_400)
  /// The time before its end when an authority counts as ending soon.
  public static let authorityNotice: Duration = .seconds(90 * 86_400)
  /// The beginning of an authority, 2020-01-01. It is early because a board without a battery clock makes the authority
  /// at a wrong time, and does not replace it when the time is known.
  public static let notBefore = WallTime(seconds: 1_577_836_800)
  /// The earliest plausible time, 2026-01-01: a clock that shows an earlier one is wrong.
  public static let earliestPlausibleTime = WallTime(seconds: 1_767_225_600)

  /// Reads the authority and the server's certificate. Makes an authority if there is none, as at the first start, and
  /// a server's certificate if it is missing, is past two thirds of its life or before its beginning, or does not cover
  /// those of `names` that the authority permits.
  /// - Parameters:
  ///   - directory: made with its parents if it is missing.
  ///   - now: the time on the machine's clock.
  /// - Throws: `IdentityError`.
  public static func loadOrCreate(
    in directory: String, now: WallTime, names: CertificateNames
  ) throws -> CertificateAuthority {
    let folder = try makeFolder(directory)
    if let authority = try loadAuthority(folder) {
      return try CertificateAuthority(authority, in: folder, now: now, names: names)
    }
    return try make(in: folder, now: now, names: names)
  }

  /// Reads them for a daemon that has run with its authority: a missing one is an error.
  public static func load(
    in directory: String, now: WallTime, names: CertificateNames
  ) throws -> CertificateAuthority {
    // A missing folder, as of a disk that is not mounted, is not made.
    let isThere = access(directory, F_OK) == 0 || errno != ENOENT
    guard isThere, case let folder = try makeFolder(directory), let authority = try loadAuthority(folder) else {
      throw IdentityError(
        file: "\(directory)/ca.pem", problem: "is missing; restore it and ca-key.pem, or all clients need a new one")
    }
    return try CertificateAuthority(authority, in: folder, now: now, names: names)
  }

  /// Makes a new authority and a server's certificate issued by it. Keeps the replaced files beside them, readable only
  /// by the owner. Only for a user's request: all clients must then be given the new authority.
  public static func renew(
    in directory: String, now: WallTime, names: CertificateNames
  ) throws -> CertificateAuthority {
    let folder = try makeFolder(directory)
    let suffix = "replaced-\(now.date.formatted(.iso8601.timeSeparator(.omitted)))"
    let replaced = try ["ca", "ca-key"].filter { folder.contains("\($0).pem") }.map { name -> String in
      try IdentityError.explaining("cannot be kept") { () throws(HeldFolder.Fault) in
        let kept = "\(name)-\(suffix).pem"
        try folder.link("\(name).pem", to: kept)
        try folder.closeToOthers(kept)
        return folder.file(kept)
      }
    }
    return try make(in: folder, now: now, names: names, replaced: replaced)
  }

  /// Reads the authority alone, with its key.
  /// - Returns: nil if there is none.
  /// - Throws: `IdentityError`.
  public static func key(in directory: String) throws -> CertifiedKey? { try loadAuthority(makeFolder(directory)) }

  /// Makes the folder, or restricts an existing one to its owner.
  private static func makeFolder(_ path: String) throws(IdentityError) -> HeldFolder {
    try IdentityError.explaining("cannot be made private (mode 0700)") { () throws(HeldFolder.Fault) in
      let folder = try HeldFolder(path, makingMissing: 0o700)
      try folder.setMode(0o700)
      return folder
    }
  }

  /// Writes the key first, because a certificate without its key is unusable.
  private static func write(_ pair: CertifiedKey, _ name: String, in folder: HeldFolder) throws {
    let certificate = try pair.certificatePEM
    try IdentityError.explaining("cannot be written") { () throws(HeldFolder.Fault) in
      try folder.replace("\(name)-key.pem", with: Array(pair.keyPEM.utf8), mode: 0o600)
      try folder.replace("\(name).pem", with: Array(certificate.utf8), mode: 0o644)
    }
  }

  private static func make(
    in folder: HeldFolder, now: WallTime, names: CertificateNames, replaced: [String] = []
  ) throws -> CertificateAuthority {
    // The server's files are useless without their authority. While they exist, a missing authority is an error.
    try IdentityError.explaining("cannot be removed") { () throws(HeldFolder.Fault) in
      try folder.remove("server.pem")
      try folder.remove("server-key.pem")
    }
    let end = plausible(now).advanced(by: authorityLifetime)
    let authority = try CertifiedKey.authority(for: names, begin: notBefore, end: end)
    try write(authority, "ca", in: folder)
    return try CertificateAuthority(authority, in: folder, now: now, names: names, isNew: true, replaced: replaced)
  }

  private init(
    _ authority: CertifiedKey, in folder: HeldFolder, now: WallTime, names: CertificateNames, isNew: Bool = false,
    replaced: [String] = []
  ) throws {
    let others = try authority.hostsNotPermitted(of: names)
    var permitted = names
    permitted.hosts.subtract(others)
    let server = Self.load(folder, "server").flatMap { authority.issued($0) ? $0 : nil }
    let current: CertifiedKey
    if let server, Self.isGood(server, authority: authority, now: now, names: permitted) {
      current = server
      made = .nothing
    } else {
      current = try Self.makeServer(authority: authority, now: now, names: permitted, previous: server)
      try Self.write(current, "server", in: folder)
      made = isNew ? .authority : .serverCertificate
    }
    certificatePEM = try authority.certificatePEM
    identity = TLSIdentity(
      chain: try NIOSSLCertificate.fromPEMBytes(Array(current.certificatePEM.utf8)),
      key: try NIOSSLPrivateKey(bytes: Array(current.keyPEM.utf8), format: .pem),
      authorityPEM: certificatePEM, file: nil)
    renewAt = Self.renewalTime(of: current.certificate, by: authority.certificate)
    standing = Self.standing(of: authority.end, now: now, uncovered: others)
    self.replaced = replaced
  }

  private static func standing(of end: WallTime, now: WallTime, uncovered: [String]) -> Standing {
    func day(_ time: WallTime) -> String { time.date.formatted(.iso8601.year().month().day()) }
    if now >= end {
      return .ended(
        "the certificate authority ended on \(day(end)) by this machine's clock, which shows \(day(now)): set the clock "
          + "if it is wrong, else make a new authority with 'deskbell ca renew' and give it to every client")
    }
    var notices: [String] = []
    if now >= end.advanced(by: .zero - authorityNotice) {
      notices.append(
        "the certificate authority ends on \(day(end)): make a new one with 'deskbell ca renew' before that and give it "
          + "to every client")
    }
    if !uncovered.isEmpty {
      notices.append(
        "the certificate authority may not certify \(uncovered.joined(separator: ", ")), of this machine or its settings: "
          + "make a new one with 'deskbell ca renew' and give it to every client")
    }
    return notices.isEmpty ? .good : .notable(notices)
  }

  /// Returns the renewal time. One that ends with its authority cannot be prolonged before the authority's end.
  private static func renewalTime(of server: Certificate, by authority: Certificate) -> WallTime {
    let (begin, end) = (WallTime(server.notValidBefore), WallTime(server.notValidAfter))
    return server.notValidAfter < authority.notValidAfter
      ? begin.advanced(by: .microseconds((end.microseconds - begin.microseconds) / 3 * 2)) : end
  }

  private static func isGood(_ server: CertifiedKey, authority: CertifiedKey, now: WallTime, names: CertificateNames)
    -> Bool
  {
    // A clock that was never set proves nothing about an existing certificate. Once the authority has ended, or the
    // clock is wrong by years, a new certificate would end no later.
    let isOfItsTime =
      now >= WallTime(server.certificate.notValidBefore)
      && now < renewalTime(of: server.certificate, by: authority.certificate)
    let isTimeKnown = now >= earliestPlausibleTime && now < WallTime(authority.certificate.notValidAfter)
    return (isOfItsTime || !isTimeKnown) && server.covers(names)
  }

  /// Returns nil if there is none, or if making the first was interrupted.
  private static func loadAuthority(_ folder: HeldFolder) throws -> CertifiedKey? {
    guard folder.contains("ca.pem") else {
      guard folder.contains("ca-key.pem"), folder.contains("server.pem") else { return nil }
      throw IdentityError(
        file: folder.file("ca.pem"), problem: "is missing, and its key is there; \(advice)")
    }
    guard let pair = load(folder, "ca") else {
      throw IdentityError(
        file: folder.file("ca.pem"), problem: "it or ca-key.pem cannot be read as PEM of a P-256 key; \(advice)")
    }
    guard pair.belongTogether else {
      throw IdentityError(file: folder.file("ca-key.pem"), problem: "is not the key of ca.pem; \(advice)")
    }
    return pair
  }

  private static let advice =
    "restore ca.pem and ca-key.pem, from a backup or from what a renewal kept beside them, or remove both to have new "
    + "ones made, which all clients must then be given"

  private static func load(_ folder: HeldFolder, _ name: String) -> CertifiedKey? {
    guard let certificatePEM = folder.text("\(name).pem"), let keyPEM = folder.text("\(name)-key.pem") else {
      return nil
    }
    return CertifiedKey(certificatePEM: certificatePEM, keyPEM: keyPEM)
  }

  /// - Parameter previous: the certificate by this authority that it replaces.
  private static func makeServer(
    authority: CertifiedKey, now: WallTime, names: CertificateNames, previous: CertifiedKey?
  ) throws -> CertifiedKey {
    // If the time is not known, it is later than that of the previous certificate.
    let known = previous.map { WallTime($0.certificate.notValidBefore).advanced(by: serverLead) }
    let present = now >= earliestPlausibleTime ? now : plausible(known ?? now)
    let end = min(present.advanced(by: serverLifetime - serverLead), authority.end)
    return try authority.issue(
      for: names, begin: end.advanced(by: .zero - serverLifetime), end: end, replacing: previous)
  }

  private static func plausible(_ now: WallTime) -> WallTime { max(now, earliestPlausibleTime) }
}

/// The reason why the daemon's own certificate, or the user's, cannot be presented.
public struct IdentityError: Error, Hashable, CustomStringConvertible {
  public var file: String
  public var problem: String

  public var description: String { "\(file): \(problem)" }

  /// Runs `body`, whose failures concern the daemon's own files.
  fileprivate static func explaining<Result>(
    _ problem: String, _ body: () throws(HeldFolder.Fault) -> Result
  ) throws(IdentityError) -> Result {
    do throws(HeldFolder.Fault) {
      return try body()
    } catch {
      throw IdentityError(
        file: error.path, problem: "\(problem): \(error.reason); check the state directory's owner and rights")
    }
  }
}
