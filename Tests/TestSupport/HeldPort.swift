// A port for one test among many that run at the same time: whoever is told its number has it, and nobody else is met
// there.

import Foundation

/// A TCP port of the loopback address that is bound, so that nobody is given it, and listened on only by whoever is told
/// its number.
public final class HeldPort {
  public let number: Int
  private let descriptor: CInt

  /// - Throws: `POSIXError` where there is none left.
  public init() throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    // With it a server may listen there, too [socket(7)].
    var yes: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<CInt>.size))
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    number = Int(UInt16(bigEndian: name.sin_port))
    guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }
}
