// Errors of a board description that show before the first line is requested. They hold on every machine, with or without
// GPIO; lines themselves are tested on a simulated chip (probe/probe.c with a chip's path).

import CGPIOBank
import Glibc
import Testing

@Suite struct MissingChipTests {
  @Test(
    "Missing chips, and files that are no chips",
    arguments: [
      ("/dev/gpiochip9999", ENOENT), ("/nowhere/gpiochip0", ENOENT), ("gpiochip", ENOENT), ("", ENOENT),
      ("/dev/\(String(repeating: "x", count: 300))", ENAMETOOLONG), ("/dev/null", ENODEV), ("/dev", ENODEV),
      ("/proc/self/status", ENODEV),
    ])
  func opening(path: String, code: CInt) {
    var chip: OpaquePointer?
    var info = cgpiobank_chip_info()
    #expect(cgpiobank_chip_open(path, &chip, &info) == -code)
    #expect(chip == nil)
  }

  @Test func theLibraryIsOneOfTwo() {
    let version = String(cString: cgpiobank_library_version())
    #expect(version.hasPrefix("1.") || version.hasPrefix("2."))
  }

  @Test func linesPastTheLimitAreRefusedBeforeAnythingElse() {
    for flags in [CGPIOBANK_OPEN_DRAIN, CGPIOBANK_EDGES] {
      let lines = (0...UInt32(CGPIOBANK_MAX_LINES)).map { $0 }
      var bank: OpaquePointer?
      #expect(cgpiobank_request(nil, lines, lines.count, flags, 0, &bank) == -E2BIG)
      #expect(bank == nil)
    }
  }
}
