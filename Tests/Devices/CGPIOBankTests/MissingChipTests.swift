// Errors of a board description that show before the first line is requested. They hold on every machine, with or without
// GPIO; lines themselves are tested on a simulated chip (probe/probe.c with a chip's name).

import CGPIOBank
import Glibc
import Testing

/// Opens a chip that cannot be opened; answers the errno.
private func openingFails(_ which: String?) -> CInt {
  var chip: OpaquePointer?
  let answer = cgpiobank_chip_open(which, &chip)
  #expect(chip == nil)
  return answer
}

@Suite struct MissingChipTests {
  @Test(
    "Missing chips, labels of no chip, no name, and files that are no chips",
    arguments: [
      ("gpiochip9999", ENOENT), ("/dev/gpiochip9999", ENOENT), ("/nowhere/gpiochip0", ENOENT),
      ("pinctrl-of-nobody", ENOENT), ("pinctrl bcm2711", ENOENT), ("gpiochip", ENOENT),
      (String(repeating: "x", count: 4_096), ENOENT), ("", EINVAL), (nil, EINVAL), ("/dev/null", ENODEV),
      ("/dev", ENODEV), ("/proc/self/status", ENODEV),
    ] as [(String?, CInt)])
  func opening(which: String?, code: CInt) {
    #expect(openingFails(which) == -code)
  }

  @Test func aPathHasALimit() {
    let folder = "/dev/"
    let longest = folder + String(repeating: "x", count: Int(CGPIOBANK_NAME_SIZE) - 1 - folder.utf8.count)
    #expect(openingFails(longest) == -ENOENT)
    #expect(openingFails(longest + "x") == -ENAMETOOLONG)
  }

  @Test func closingAndReleasingNothingIsFine() {
    cgpiobank_chip_close(nil)
    cgpiobank_release(nil)
  }

  @Test func listedChipsCanBeOpenedByPath() {
    var chips = [cgpiobank_chip_info](repeating: cgpiobank_chip_info(), count: Int(CGPIOBANK_MAX_CHIPS))
    let count = Int(cgpiobank_list_chips(&chips, chips.count))
    // Nothing may be opened without permission; that is the one error.
    guard count >= 0 else {
      #expect(count == -Int(EACCES) || count == -Int(EPERM))
      return
    }
    for chip in chips.prefix(count) {
      let path = withUnsafeBytes(of: chip.path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      var opened: OpaquePointer?
      #expect(cgpiobank_chip_open(path, &opened) == 0)
      cgpiobank_chip_close(opened)
    }
  }

  @Test func theLibraryIsOneOfTwo() {
    let version = String(cString: cgpiobank_library_version())
    #expect(version.hasPrefix("1.") || version.hasPrefix("2."))
  }
}

@Suite struct RequestTests {
  private typealias Request =
    @Sendable (
      [UInt32], UnsafeMutablePointer<OpaquePointer?>, UnsafeMutablePointer<cgpiobank_line_info>
    ) -> CInt

  private static let outputs: Request = {
    cgpiobank_request(nil, $0, $0.count, UInt32(CGPIOBANK_OUTPUTS), 0, $1, $2)
  }
  private static let inputs: Request = { cgpiobank_request(nil, $0, $0.count, UInt32(CGPIOBANK_EDGES), 0, $1, $2) }

  @Test func linesPastTheLimitAreRefusedBeforeAnythingElse() {
    let limit = Int(CGPIOBANK_MAX_LINES)
    for request in [Self.outputs, Self.inputs] {
      var bank: OpaquePointer?
      var culprit = cgpiobank_line_info()
      #expect(request((0...UInt32(limit)).map { $0 }, &bank, &culprit) == -E2BIG)
      #expect(culprit.offset == UInt32.max)
      // As many as fit get as far as the chip that is missing.
      #expect(request((0..<UInt32(limit)).map { $0 }, &bank, &culprit) == -EINVAL)
      #expect(request([], &bank, &culprit) == -EINVAL)
      #expect(bank == nil)
    }
  }

  @Test func linesOfNoChipAreInvalid() {
    var info = cgpiobank_line_info()
    #expect(cgpiobank_chip_line_info(nil, 0, &info) == -EINVAL)
  }
}
