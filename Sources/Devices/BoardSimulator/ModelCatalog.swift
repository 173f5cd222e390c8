// The model for each driver, one line each.

import Board

enum ModelCatalog {
  static func models(of description: BoardDescription) -> [any ChipModel] {
    let lamp = description.lamp.map { lamp -> any ChipModel in
      OnOffModel(lamp.line, activeHigh: lamp.activeHigh) { .lamp(isLit: $0) }
    }
    let motor = description.motor.map { motor -> any ChipModel in
      OnOffModel(motor.line, activeHigh: motor.activeHigh) { .motor(runs: $0) }
    }
    return [lamp, motor, description.display.flatMap(model)].compactMap(\.self)
  }

  /// Returns the model of a display; nil for a driver without a model, whose lines then work and show nothing.
  private static func model(of display: BoardDescription.Display) -> (any ChipModel)? {
    switch display.driver {
    case let driver as TM1637: TM1637Model(lines: display.lines, digits: driver.digits)
    case let driver as Multiplexed:
      MultiplexedDisplayModel(
        lines: display.lines, segmentLines: driver.segmentLines, segmentsActiveHigh: driver.segmentsActiveHigh,
        digitsActiveHigh: driver.digitsActiveHigh)
    case let driver as MAX7219: MAX7219Model(driver, lines: display.lines)
    case let driver as Static74HC595: ShiftRegister74HC595Model(driver, lines: display.lines)
    case let driver as Multiplexed74HC595: ShiftRegister74HC595Model(driver, lines: display.lines)
    default: nil
    }
  }
}
