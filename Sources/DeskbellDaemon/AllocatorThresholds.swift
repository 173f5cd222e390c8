// By itself glibc's allocator keeps ever more for next time: twice the largest block that has come and gone at the end
// of each thread's heap, and the 16 MB in which a password is checked. Thresholds that are set stay as they are
// [mallopt(3)].

import CMemory

/// When the allocator asks the kernel for memory, and when it gives it back.
enum AllocatorThresholds {
  /// Bytes from which a block comes from the kernel and goes back to it at once.
  private static let block: CInt = 4 * 1024 * 1024

  /// Free bytes at the end of a heap from which they are given back: twice what glibc starts with, so that a heap does
  /// not shrink and grow with every burst of pushes.
  private static let heapEnd: CInt = 256 * 1024

  /// For the whole process.
  static func set() {
    mallopt(M_MMAP_THRESHOLD, block)
    mallopt(M_TRIM_THRESHOLD, heapEnd)
  }
}
