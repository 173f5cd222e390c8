// A restarted daemon continues with the handsets as they were; after a boot of the board no app runs, and uptime counts
// anew.

import Glibc
import HandsetCore
import HandsetStore

/// The kernel's identifier of the current boot.
public enum BootID {
  /// Returns the kind of start: the board, if its boot differs from the noted one, or only the daemon.
  public static func start(by store: HandsetStore) throws(StoreError) -> Start {
    guard let boot = current else { return .daemon }
    return try store.meta(.bootID) == boot ? .daemon : .board
  }

  /// Notes the current boot, so that the next start can compare.
  static func note(in store: HandsetStore) throws(StoreError) {
    guard let boot = current, try store.meta(.bootID) != boot else { return }
    try store.setMeta(.bootID, boot)
  }

  /// The identifier, different at each boot.
  private static var current: String? {
    guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 64)
    guard fgets(&bytes, CInt(bytes.count), file) != nil else { return nil }
    return String(decoding: bytes.map(UInt8.init(bitPattern:)).prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
