// The daemon names pushes whose sender gave no identifier, and local notifications.

import Glibc
import HandsetCore
import Synchronization

extension PushID {
  /// A version 4 UUID in upper case, as Apple's service makes them [RFC 9562, 5.4].
  public static func random() -> PushID {
    let bits = pool.withLock { ($0.next(), $0.next()) }
    return PushID(
      high: bits.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: bits.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000,
      upperCaseDigits: .max)
  }

  private static let pool = Mutex(RandomPool())
}

/// The system's random numbers, 32 with one system call.
private struct RandomPool {
  private var numbers: [UInt64] = []

  mutating func next() -> UInt64 {
    if numbers.isEmpty {
      numbers = [UInt64](unsafeUninitializedCapacity: 32) { numbers, count in
        count = getentropy(numbers.baseAddress, 32 * MemoryLayout<UInt64>.size) == 0 ? 32 : 0
      }
    }
    return numbers.popLast() ?? .random(in: .min ... .max)
  }
}
