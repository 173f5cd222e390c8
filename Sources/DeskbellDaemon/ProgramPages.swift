// Starting runs code that running does not: certificates are made, files parsed, the database opened. The kernel keeps
// those pages mapped for as long as there is memory, and on a board of 512 MB takes others from us, or from somebody
// else, first. So they are given back; whatever is needed again comes from the page cache by itself.

import CMemory
import Glibc

/// The program's own code and constants in memory.
enum ProgramPages {
  /// Unmaps those that were used so far. They are mapped again, page by page, where they are used again.
  static func giveBack() {
    dl_iterate_phdr(
      { program, _, _ in
        guard let program = program?.pointee else { return 0 }
        let page = UInt(getpagesize())
        // What can be written may differ from the file, and must stay; so must what the linker relocated, which is in
        // segments that can be written at first.
        for segment in UnsafeBufferPointer(start: program.dlpi_phdr, count: Int(program.dlpi_phnum))
        where segment.p_type == UInt32(PT_LOAD) && segment.p_flags & UInt32(PF_W) == 0 {
          let address = UInt(program.dlpi_addr) + UInt(segment.p_vaddr)
          let start = address & ~(page - 1)
          madvise(
            UnsafeMutableRawPointer(bitPattern: start), Int(address + UInt(segment.p_memsz) - start), MADV_DONTNEED)
        }
        return 0
      }, nil)
  }
}
