// The JSON Web Token in `authorization`, before its signature is checked.

import HandsetCore

@testable import PushPort

func runProviderToken(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let limits = PortLimits.standard
  guard let token = try? ProviderToken(bytes, limits: limits) else { return }
  guard case .token(_, _, let key, _) = try anyProvider().credential else { return }
  // The private half is not available.
  try hold(!token.isSigned(by: key), "a forged token is taken")
  for now in [WallTime(microseconds: .min), HandsetInUse.now.wall, WallTime(microseconds: .max)] {
    try? ProviderToken.checkAge(issuedAt: token.issuedAt, now: now, clockIsSynchronised: { true }, limits: limits)
  }
}
