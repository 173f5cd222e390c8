// Every connection is a file descriptor. A process gets 1,024 of them unless it raises its limit.

import Glibc
import Logging
import PushPort

enum DescriptorLimit {
  /// The descriptors for the database, lines, sounds, apps' programs and the control socket.
  private static let ownDescriptors = 256

  /// Raises this process's limit as far as allowed, and logs if that is too little for the connections allowed.
  static func raise(for limits: PortLimits, logger: Logger) {
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
