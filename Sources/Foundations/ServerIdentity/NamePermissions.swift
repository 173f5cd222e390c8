// An authority that clients trust could certify any server on the internet. Its certificate therefore lists the names
// that it may certify, so that a stolen key is worthless elsewhere for clients that check this [RFC 5280, 4.2.1.10]. It
// does not limit addresses: BoringSSL, which Swift's clients and our own use, does not support such limits and refuses
// every certificate with an address under an authority that has them.

import X509

/// The host names that an authority may certify, each with all names below it.
struct NamePermissions {
  let hosts: Set<String>

  /// The names of one server, and the names announced in the local network.
  init(for names: CertificateNames) {
    hosts = Set(names.hosts.map(NamePermissions.domain)).union(["localhost", "local"])
  }

  /// Reads the permissions; nil if the certificate permits any name, as certificates by earlier versions do.
  init?(of authority: Certificate) throws {
    guard let constraints = try authority.extensions.nameConstraints else { return nil }
    hosts = Set(constraints.permittedDNSDomains.map { $0.lowercased() })
  }

  var constraints: NameConstraints {
    // A name below another one in the list is redundant.
    let domains = hosts.filter { host in !hosts.contains { host != $0 && host.hasSuffix(".\($0)") } }
    return NameConstraints(permittedDNSDomains: domains.sorted())
  }

  func permit(_ host: String) -> Bool {
    let domain = NamePermissions.domain(host)
    return hosts.contains { domain == $0 || domain.hasSuffix(".\($0)") }
  }

  /// Returns the domain of a wildcard, with which the wildcard is permitted; any other host as it is.
  private static func domain(_ host: String) -> String { host.hasPrefix("*.") ? String(host.dropFirst(2)) : host }
}
