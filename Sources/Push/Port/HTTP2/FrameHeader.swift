import NIOCore

/// The nine bytes at the beginning of every frame [RFC 9113, 4.1]. They are parsed here as well as by libnghttp2,
/// because limits depend on them.
struct FrameHeader: Hashable {
  static let size = 9

  enum Kind {
    static let data: UInt8 = 0
    static let headers: UInt8 = 1
    static let priority: UInt8 = 2
    static let reset: UInt8 = 3
    static let settings: UInt8 = 4
    static let ping: UInt8 = 6
    static let goAway: UInt8 = 7
    static let windowUpdate: UInt8 = 8
    static let continuation: UInt8 = 9
  }

  /// The length of the payload.
  var length: Int
  var kind: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
}

extension FrameHeader {
  /// Parses a header without consuming it; nil if there are fewer than nine bytes.
  init?(at index: Int, of buffer: ByteBuffer) {
    guard let start = buffer.getInteger(at: index, as: UInt64.self),
      let end = buffer.getInteger(at: index + 8, as: UInt8.self)
    else { return nil }
    length = Int(start >> 40)
    kind = UInt8(truncatingIfNeeded: start >> 32)
    flags = UInt8(truncatingIfNeeded: start >> 24)
    stream = UInt32(truncatingIfNeeded: start << 8 | UInt64(end)) & 0x7FFF_FFFF
  }

  /// True if the stream has a client's number, which is odd.
  var isOfClient: Bool { stream % 2 == 1 }
  var isAcknowledgement: Bool { flags & 0x1 != 0 }
  var endsStream: Bool { flags & 0x1 != 0 }
  var endsHeaders: Bool { flags & 0x4 != 0 }

  func write(to buffer: inout ByteBuffer) {
    buffer.writeInteger(UInt32(length) << 8 | UInt32(kind))
    buffer.writeInteger(flags)
    buffer.writeInteger(stream)
  }
}
