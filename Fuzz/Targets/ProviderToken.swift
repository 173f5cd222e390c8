// The JSON Web Token in `authorization`, before anybody has found it to be signed.

import HandsetCore

@testable import PushGateway

func runProviderToken(_ bytes: [UInt8]) throws(FuzzTarget.Finding) {
  let limits = GatewayLimits.standard
  guard let token = try? ProviderToken(bytes, limits: limits) else { return }
  guard case .token(_, _, let key, _) = try anyProvider().credential else { return }
  // Nobody has the private half.
  try hold(!token.isSigned(by: key), "a forged token is taken")
  for now in [WallTime(microseconds: .min), HandsetInUse.now.wall, WallTime(microseconds: .max)] {
    try? ProviderToken.checkAge(issuedAt: token.issuedAt, now: now, clockIsSynchronised: { true }, limits: limits)
  }
}
