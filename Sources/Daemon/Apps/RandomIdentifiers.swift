import HandsetCore

extension DeviceToken {
  /// Returns a token of 32 bytes, as long as the service's own.
  static func random() -> DeviceToken {
    guard let token = DeviceToken(bytes: randomBytes(32)) else {
      preconditionFailure("32 is one of DeviceToken.lengths")
    }
    return token
  }
}

extension DeviceID {
  static func random() -> DeviceID {
    guard let id = DeviceID(bytes: randomBytes(DeviceID.byteCount)) else { preconditionFailure("that is its length") }
    return id
  }
}

func randomBytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
