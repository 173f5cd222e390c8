// The daemon names pushes whose sender gave no identifier, and local notifications.

import HandsetCore

extension PushID {
  /// A version 4 UUID in upper case, as Apple's service makes them [RFC 9562, 5.4].
  public static func random() -> PushID {
    let high = UInt64.random(in: .min ... .max) & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = UInt64.random(in: .min ... .max) & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let id = PushID(high: high, low: low)
    return PushID(id.description.uppercased()) ?? id
  }
}
