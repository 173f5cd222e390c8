// A file for modules that read files: the same path with other bytes each time.

import Glibc

enum ReusedFile {
  /// Deleted while open, so that nothing is left behind, however a fuzzer ends.
  private static let descriptor: CInt = {
    var name = Array("/tmp/deskbell-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&name)
    unlink(&name)
    return descriptor
  }()

  /// - Returns: the path of a file that holds the bytes until the next call.
  static func holding(_ bytes: [UInt8]) throws(FuzzTarget.Finding) -> String {
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
      throw FuzzTarget.Finding(description: "no file: error \(errno)")
    }
    return "/proc/self/fd/\(descriptor)"
  }
}
