// Every connection is a file descriptor, of which a process is given 1,024 unless it asks for what it may have.

import Glibc
import Logging
import PushGateway

enum DescriptorLimit {
  /// What the daemon needs beside its connections: the database, lines, sounds, hooks and the control socket.
  private static let ownDescriptors = 256

  /// Raises this process's limit as far as it may, and says where that is too little for the connections allowed.
  static func raise(for limits: GatewayLimits, logger: Logger) {
    let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    var limit = rlimit()
    guard getrlimit(kind, &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      setrlimit(kind, &limit)
    }
    let needed = UInt(limits.connections + ownDescriptors)
    if limit.rlim_cur < needed {
      logger.warning(
        "too few file descriptors for the connections that limits allow: set LimitNOFILE in the unit",
        metadata: ["needed": "\(needed)", "allowed": "\(limit.rlim_cur)"])
    }
  }
}
