// Random identifiers.

import HandsetCore

extension PushID {
  /// A version 4 UUID.
  static func random() -> PushID {
    let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    return PushID(high: high & ~0xF000 | 0x4000, low: low & ~(0b11 << 62) | 0b10 << 62)
  }
}

extension DeviceToken {
  /// 32 bytes, as long as the service's own.
  static func random() -> DeviceToken {
    guard let token = DeviceToken(bytes: randomBytes(32)) else {
      preconditionFailure("32 is one of DeviceToken.lengths")
    }
    return token
  }
}

extension DeviceID {
  static func random() -> DeviceID {
    guard let id = DeviceID(bytes: randomBytes(DeviceID.byteCount)) else { preconditionFailure("that is its length") }
    return id
  }
}

/// Of the system's randomness.
private func randomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
