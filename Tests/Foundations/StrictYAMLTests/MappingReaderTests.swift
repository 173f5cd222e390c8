// The keys that are read by name are the valid ones; all errors are reported in one pass.

import Testing

@testable import StrictYAML

private struct Lamp: Equatable {
  var pin: String
  var isActiveLow: Bool
}

private func lamp(_ reader: MappingReader) -> Lamp? {
  let pin = reader.required("pin") { try $0.string() }
  let isActiveLow = reader.optional("active-low", default: false) { try $0.boolean() }
  return pin.map { Lamp(pin: $0, isActiveLow: isActiveLow) }
}

@Suite struct MappingReaderTests {
  @Test func aMistypedKeyIsRefusedAtItsPlaceOnce() {
    // The typo explains the missing 'pin': one mistake, one line.
    #expect(
      errors("name: desk\nled:\n  # red\n  pni: GPIO17\n") { root in
        _ = root.required("name") { try $0.string() }
        return root.mapping("led", lamp)
      } == ["4:3 unknown key 'pni', did you mean 'pin'?"])
  }

  @Test func aKeyNearToNothingListsTheValidOnes() {
    #expect(errors("pin: GPIO17\ncolour: red\n", lamp) == ["2:1 unknown key 'colour'; valid here: 'pin', 'active-low'"])
    #expect(errors("a: 1\n") { _ in true } == ["1:1 unknown key 'a'; no keys are valid here"])
  }

  @Test func aMissingKeyIsReportedAtItsMapping() {
    let lines = errors("led:\n  active-low: true\n") { $0.mapping("led", lamp) }
    #expect(lines == ["2:3 required key 'pin' is missing from 'led'"])
    #expect(errors("{}") { $0.mapping("led", lamp) } == ["1:1 required key 'led' is missing from the document"])
  }

  @Test func allErrorsComeInTheOrderOfTheFile() {
    let text = """
      name: 3
      leds:
        - pin: GPIO17
          active-low: on
        - pin:
        - active-low: true
        - GPIO4
      brightness: 9
      """
    let lines = errors(text) { root -> Bool? in
      // Read in another order than the file's.
      let brightness = root.required("brightness") { try $0.integer(in: 0...7) }
      let leds = root.list("leds", count: 1...8) { node in root.mapping(node, lamp) }
      _ = root.required("name") { try $0.string() }
      #expect(leds?.count { $0 == nil } == 3)
      return brightness == nil
    }
    #expect(
      lines == [
        "4:17 'active-low' must be true or false: write true, not 'on'",
        "5:9 'pin' must be a string, not nothing",
        "6:5 required key 'pin' is missing from item 3 of 'leds'",
        "7:5 item 4 of 'leds' must be a mapping (key: value), not 'GPIO4'",
        "8:13 'brightness' must be an integer from 0 to 7, not 9",
      ])
  }

  @Test func whatIsRightIsRead() throws {
    let text = """
      led: {pin: "GPIO17", active-low: true}
      pins: [GPIO4, 17]
      """
    let document = try YAMLDocument.parse(Array(text.utf8), file: "f")
    try document.decode { root in
      #expect(root.mapping("led", lamp) == Lamp(pin: "GPIO17", isActiveLow: true))
      #expect(root.mapping("motor", required: false, lamp) == nil)
      #expect(root.list("pins", count: 2...2) { try $0.string() } == ["GPIO4", "17"])
      #expect(root.list("keys", required: false) { try $0.string() } == nil)
      #expect(root.optional("volume", default: 5) { try $0.integer(in: 0...7) } == 5)
    }
  }

  @Test(
    arguments: [
      ("[1, 2, 3]", 1...2, "must have 1 to 2 items, not 3"), ("[]", 1 ... .max, "must have at least 1 item, not 0"),
      ("4", 0 ... .max, "must be a sequence, not '4'"),
    ] as [(String, ClosedRange<Int>, String)])
  func countsAreHeld(list: String, count: ClosedRange<Int>, message: String) {
    #expect(
      errors("pins: \(list)\n") { $0.list("pins", count: count) { try $0.integer() } } == ["1:7 'pins' \(message)"])
  }

  @Test func anEarlyReturnCanLeaveTheRestAlone() {
    func display(_ reader: MappingReader) -> Int? {
      guard reader.required("driver", { try $0.choice(of: ["tm1637", "max7219"]) }) != nil else {
        reader.skipUnreadKeys()
        return nil
      }
      return reader.required("digits") { try $0.integer() }
    }
    #expect(
      errors("driver: tm1673\ndigits: 4\n", display) == ["1:9 'driver' cannot be 'tm1673', did you mean 'tm1637'?"])
    #expect(errors("drivr: tm1637\ndigits: 4\n", display) == ["1:1 unknown key 'drivr', did you mean 'driver'?"])
  }

  @Test func rulesAcrossKeysReportWhereTheySay() {
    #expect(
      errors("clock: GPIO5\ndata: GPIO5\n") { root -> Bool? in
        let (clock, data) = (root.node("clock", required: true), root.node("data", required: true))
        if let clock, let data, let line = try? data.string(), (try? clock.string()) == line {
          root.report("line '\(line)' is used twice, first at \(clock.position)", at: data.position)
        }
        return true
      } == ["2:7 line 'GPIO5' is used twice, first at f:1:8"])
  }

  private struct TooLoud: Error, CustomStringConvertible { var description: String { "too loud" } }

  @Test func anyErrorOfAReadingIsReportedAtItsKey() {
    #expect(
      errors("volume: 11\n") { $0.required("volume") { _ in throw TooLoud() } as Int? } == ["1:9 'volume': too loud"])
  }

  @Test func aRootThatIsNoMappingIsSaidOnce() {
    #expect(errors("- 1\n- 2\n", lamp) == ["1:1 the document must be a mapping (key: value), not a sequence"])
  }

  @Test func aFailureWithoutAReasonIsStillAFailure() {
    #expect(errors("{}") { _ in nil as Int? } == ["1:1 the document could not be read"])
  }

  @Test func oneReadingReportsAtMostItsLimit() {
    let text = (0...YAMLLimits.diagnostics).map { "unknown-\($0): 1\n" }.joined()
    #expect(errors(text) { _ in true }.count == YAMLLimits.diagnostics)
  }
}
