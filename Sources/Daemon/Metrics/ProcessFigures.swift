// The kernel's figures for the process, under the names that Prometheus' client libraries use.

import Clocks
import Glibc
import HandsetCore

/// The resources that the process uses; nil if the kernel does not report them.
struct ProcessFigures {
  var residentBytes: Int?
  var processorSeconds: Double
  var openDescriptors: Int?
  var descriptorLimit: Int?

  init() {
    residentBytes = ProcessFigures.residentPages.map { $0 * sysconf(CInt(_SC_PAGESIZE)) }
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    processorSeconds = Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    openDescriptors = ProcessFigures.countDescriptors()
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0 {
      descriptorLimit = Int(clamping: limit.rlim_cur)
    }
  }

  private static var residentPages: Int? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 128)
    guard fgets(&bytes, CInt(bytes.count), file) != nil else { return nil }
    let words = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
      separator: " ")
    return words.count > 1 ? Int(words[1]) : nil
  }

  private static func countDescriptors() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Without `.`, `..` and the descriptor of the folder itself.
    return count - 3
  }
}
