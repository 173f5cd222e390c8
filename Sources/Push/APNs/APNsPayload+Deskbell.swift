// Deskbell's own keys are in an object beside `aps`, like any app's keys: Apple's service passes it on.

import HandsetCore

extension APNsPayload {
  private enum OwnKey: String, CaseIterable {
    case again = "repeat"
  }

  private enum RepeatKey: String, CaseIterable {
    case every, times
  }

  private static let ownNames = JSONNames<OwnKey>()
  private static let repeatNames = JSONNames<RepeatKey>()

  /// Reads the request in `{"repeat": {"every": 60, "times": 30}}` (rule N11); nil if there is none. A wrong part is
  /// left out, and the rest counts.
  mutating func repeatRequest(in own: JSONElement) -> RepeatRequest? {
    guard let again = object(own, "deskbell", APNsPayload.ownNames)?[.again], !again.isNull,
      let members = object(again, "deskbell.repeat", APNsPayload.repeatNames)
    else { return nil }
    let (least, most) = (Policy.repeatIntervals.lowerBound, Policy.repeatIntervals.upperBound)
    let seconds = least.components.seconds...most.components.seconds
    let times = Int64(Policy.repeatTimes.lowerBound)...Int64(Policy.repeatTimes.upperBound)
    return RepeatRequest(
      every: number(members[.every], in: seconds, "deskbell.repeat.every").map { .seconds($0) },
      times: number(members[.times], in: times, "deskbell.repeat.times").map { Int($0) })
  }

  /// Returns the known members; nil if the value is no object.
  private mutating func object<Name: JSONName>(
    _ value: JSONElement, _ path: String, _ names: JSONNames<Name>
  ) -> [Name: JSONElement]? {
    guard let object = value.object else {
      fault(path, "expected an object, got \(value.kindName)")
      return nil
    }
    let (known, unknown) = object.members(names, unknown: limits.payloadFaults + 1)
    let names = Name.allCases.map(\.rawValue).joined(separator: " or ")
    for member in unknown { fault("\(path).\(shortened(member.name))", "no such key; expected \(names)") }
    return known
  }

  private mutating func number(_ value: JSONElement?, in range: ClosedRange<Int64>, _ path: String) -> Int64? {
    guard let value, !value.isNull else { return nil }
    guard let number = value.integer, range.contains(number) else {
      fault(path, "expected a whole number from \(range.lowerBound) to \(range.upperBound), got \(value.quote)")
      return nil
    }
    return number
  }
}
