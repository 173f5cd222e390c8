import CMemory
import Glibc
import Logging
import PushPort

enum ProcessLimits {
  /// The descriptors for the database, lines, sounds, apps' programs and the control socket.
  private static let ownDescriptors = 256

  /// Every connection is a file descriptor, and a process gets 1,024 of them: raises that as far as allowed, and logs if
  /// it is too little for the connections allowed.
  static func raiseDescriptors(for limits: PortLimits, logger: Logger) {
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

  /// By default glibc's allocator keeps more and more memory for reuse: twice the largest block ever freed at the end of
  /// each thread's heap, and the 16 MB in which a password is checked. Thresholds that are set do not change
  /// [mallopt(3)].
  static func setAllocatorThresholds() {
    // Blocks from this size are mapped by themselves and returned to the kernel at once.
    mallopt(M_MMAP_THRESHOLD, 4 * 1024 * 1024)
    // Twice glibc's initial value, so that a heap does not shrink and grow with every burst of pushes.
    mallopt(M_TRIM_THRESHOLD, 256 * 1024)
    // Blocks up to this size, the largest that is allowed, need no lock when another thread frees them.
    mallopt(M_MXFAST, 160)
  }
}
