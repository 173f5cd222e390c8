// An authority that clients trust could certify any server on the internet. Its certificate therefore lists the names
// that it may certify, so that a stolen key is worthless elsewhere for clients that check this [RFC 5280, 4.2.1.10]. It
// does not limit addresses: BoringSSL, which Swift's clients and our own use, does not support such limits and refuses
// every certificate with an address under an authority that has them.

import X509

extension NameConstraints {
  /// Permits the names of one server, and the names announced in the local network, each with all names below it.
  init(for names: CertificateNames) {
    let hosts = Set(names.hosts.map(NameConstraints.domain)).union(["localhost", "local"])
    // A name below another one in the list is redundant.
    let domains = hosts.filter { host in !hosts.contains { host != $0 && host.hasSuffix(".\($0)") } }
    self.init(permittedDNSDomains: domains.sorted())
  }

  func permit(_ host: String) -> Bool {
    let domain = NameConstraints.domain(host)
    return permittedDNSDomains.contains { domain == $0.lowercased() || domain.hasSuffix(".\($0.lowercased())") }
  }

  /// Returns the domain of a wildcard, with which the wildcard is permitted; any other host as it is.
  private static func domain(_ host: String) -> String { host.hasPrefix("*.") ? String(host.dropFirst(2)) : host }
}
