// What a caller of the control API may ask for at once.

import HandsetCore
  /// Events of one explanation; past it those in the middle are left out.
  static let explainedEvents = 200
  /// Names that a hint lists where none is near to what was typed.
  static let hintedNames = 5
}
