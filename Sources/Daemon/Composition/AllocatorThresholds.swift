// By default glibc's allocator keeps more and more memory for reuse: twice the largest block ever freed at the end of
// each thread's heap, and the 16 MB in which a password is checked. Thresholds that are set explicitly do not change
// [mallopt(3)].

import CMemory

/// The thresholds at which the allocator requests memory from the kernel and returns it.
enum AllocatorThresholds {
  /// The size in bytes from which a block is mapped by itself and returned to the kernel at once.
  private static let block: CInt = 4 * 1024 * 1024

  /// The free bytes at the end of a heap from which they are returned: twice glibc's initial value, so that a heap does
  /// not shrink and grow with every burst of pushes.
  private static let heapEnd: CInt = 256 * 1024

  /// Sets the thresholds for the whole process.
  static func set() {
    mallopt(M_MMAP_THRESHOLD, block)
    mallopt(M_TRIM_THRESHOLD, heapEnd)
  }
}
