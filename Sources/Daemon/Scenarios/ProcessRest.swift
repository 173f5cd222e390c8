import Glibc

/// Tells if a process and its children are at rest: each of their threads waits for something. A program that has work to
/// do, however slowly on a busy machine, is not.
struct ProcessRest: Sendable {
  /// States of threads in `/proc/PID/stat`: asleep, stopped, ended.
  private static let restful: Set<UInt8> = Set("SITtZX".utf8)

  /// A process that does not exist is at rest.
  static func isAtRest(_ process: pid_t) -> Bool {
    for thread in numbers(in: "/proc/\(process)/task") {
      let place = "/proc/\(process)/task/\(thread)"
      // The name before the state is in parentheses, and may have some itself.
      let stat = contents("\(place)/stat")
      if let end = stat.lastIndex(of: UInt8(ascii: ")")), stat.count > end + 2, !restful.contains(stat[end + 2]) {
        return false
      }
      // Some kernels have no such file: their children are not looked at.
      for child in contents("\(place)/children").split(separator: UInt8(ascii: " ")) {
        if let child = pid_t(String(decoding: child, as: UTF8.self)), !isAtRest(child) { return false }
      }
    }
    return true
  }

  /// Returns the names in a folder that are numbers; none if it cannot be read.
  private static func numbers(in folder: String) -> [pid_t] {
    guard let entries = opendir(folder) else { return [] }
    defer { closedir(entries) }
    var numbers: [pid_t] = []
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if let number = pid_t(name) { numbers.append(number) }
    }
    return numbers
  }

  /// Returns the first 4,096 bytes of a file; none if it cannot be read.
  private static func contents(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
      count = max(0, read(file, buffer.baseAddress, buffer.count))
    }
  }
}
