// The identifiers of pushes whose sender gave none, and of local notifications.

import Glibc
import HandsetCore
import Synchronization

extension PushID {
  /// Returns a version 4 UUID [RFC 9562, 5.4] in upper case, the form that Apple's service makes.
  public static func random() -> PushID {
    let bits = pool.withLock { ($0.next(), $0.next()) }
    return PushID(
      high: bits.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: bits.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000,
      upperCaseDigits: .max)
  }

  private static let pool = Mutex(RandomPool())
}

/// A pool of the system's random numbers, 32 with one system call.
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
