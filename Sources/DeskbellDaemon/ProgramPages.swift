// Starting runs code that running does not: certificates are made, files parsed, the database opened. The kernel keeps
// those pages mapped for as long as there is memory, and on a board of 512 MB takes others from us, or from somebody
// else, first. So they are given back once; whatever is needed again comes from the page cache by itself.

import Glibc

/// The program's own code in memory.
enum ProgramPages {
  /// Unmaps the code that has run so far. It is mapped again, page by page, where it runs again.
  static func giveBack() {
    guard let maps = fopen("/proc/self/maps", "r") else { return }
    defer { fclose(maps) }
    var line = [CChar](repeating: 0, count: 4_096)
    while fgets(&line, CInt(line.count), maps) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      let fields = text.split(separator: " ", omittingEmptySubsequences: true)
      // Only code: it is as the file has it. Data that is read-only by now was relocated, and must stay.
      guard fields.count >= 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
      let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
      guard ends.count == 2, let start = UnsafeMutableRawPointer(bitPattern: ends[0]) else { continue }
      madvise(start, Int(ends[1] - ends[0]), MADV_DONTNEED)
    }
  }
}
