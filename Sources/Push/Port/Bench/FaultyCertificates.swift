import HandsetCore
import ServerIdentity

extension Fault.CertificateFault {
  /// Makes the certificates of all faults.
  /// - Parameters:
  ///   - authority: the one that clients trust.
  ///   - names: those of the port's own certificate.
  ///   - now: the time on the clients' clock.
  /// - Throws: an error of the encoding.
  public static func identities(
    by authority: CertifiedKey, names: CertificateNames, now: WallTime
  ) throws -> [Fault.CertificateFault: TLSIdentity] {
    var identities: [Fault.CertificateFault: TLSIdentity] = [:]
    for fault in allCases { identities[fault] = try TLSIdentity(fault.issue(by: authority, names: names, now: now)) }
    return identities
  }

  private func issue(by authority: CertifiedKey, names: CertificateNames, now: WallTime) throws -> CertifiedKey {
    let day = Duration.seconds(86_400)
    let yesterday = now.advanced(by: .zero - day)
    switch self {
    case .expired: return try authority.issue(for: names, begin: now.advanced(by: day * -30), end: yesterday)
    // So late that a virtual clock does not reach it.
    case .notYetValid:
      return try authority.issue(for: names, begin: now.advanced(by: day * 1_500), end: now.advanced(by: day * 1_600))
    // The authority may certify names below local, so that only the name is wrong.
    case .otherName:
      return try authority.issue(
        for: CertificateNames(["other.local"]), begin: yesterday, end: now.advanced(by: day * 30))
    case .otherAuthority:
      let other = try CertifiedKey.authority(for: names, begin: yesterday, end: now.advanced(by: day * 30))
      return try other.issue(for: names, begin: yesterday, end: now.advanced(by: day * 30))
    }
  }
}
