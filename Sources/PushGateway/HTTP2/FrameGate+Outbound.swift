// What goes out to the client: our SETTINGS, which replace those of NIO, and NIO's frames, corrected on their way.

import NIOCore
import NIOHTTP2

extension FrameGate.StateMachine {
  /// Our first SETTINGS, for the wire. NIO's are the same but for the number of streams, and never get there.
  mutating func greeting() -> ByteBuffer {
    settings([
      (
        HTTP2SettingsIdentifier.maxConcurrentStreams,
        isAuthenticated ? limits.streams : limits.streamsBeforeFirstToken
      ),
      (HTTP2SettingsIdentifier.maxHeaderListSize, limits.advertisedHeaderListBytes),
    ])
  }

  /// SETTINGS that raise the number of streams from now on, for the wire.
  mutating func authenticated() -> ByteBuffer {
    isAuthenticated = true
    return settings([(HTTP2SettingsIdentifier.maxConcurrentStreams, limits.streams)])
  }

  private mutating func settings(_ entries: [(identifier: UInt16, value: Int)]) -> ByteBuffer {
    unacknowledgedSettings += 1
    var buffer = ByteBuffer()
    FrameHeader(length: 6 * entries.count, kind: FrameHeader.Kind.settings).write(to: &buffer)
    for entry in entries {
      buffer.writeInteger(entry.identifier)
      buffer.writeInteger(UInt32(entry.value))
    }
    return buffer
  }

  /// The acknowledgement of the client's first SETTINGS, where NIO is not there yet to send it.
  mutating func acknowledgement() -> ByteBuffer {
    hasAcknowledgedForNIO = true
    return FrameGate.acknowledgement
  }

  /// What NIO writes, on its way to the wire.
  ///
  /// - Returns: whether it goes there.
  mutating func send(_ buffer: inout ByteBuffer) -> Bool {
    if outboundPayloadLeft > 0 {
      outboundPayloadLeft -= buffer.readableBytes
      return true
    }
    guard let header = FrameHeader(at: buffer.readerIndex, of: buffer) else { return true }
    outboundPayloadLeft = FrameHeader.size + header.length - buffer.readableBytes
    switch header.kind {
    case FrameHeader.Kind.data, FrameHeader.Kind.headers:
      if header.kind == FrameHeader.Kind.data { windows.spend(header.length, on: header.stream) }
      if header.endsStream && receiving.contains(header.stream) { answered.insert(header.stream) }
    case FrameHeader.Kind.goAway:
      nameLastStream(in: &buffer)
    case FrameHeader.Kind.reset:
      if released.remove(header.stream) != nil { return false }
      if misplacedHeaders.remove(header.stream) != nil {
        buffer.setInteger(
          UInt32(HTTP2ErrorCode.streamClosed.networkCode), at: buffer.readerIndex + FrameHeader.size)
      }
      if receiving.contains(header.stream) { giveUp(header.stream) }
    case FrameHeader.Kind.settings where header.isAcknowledgement && hasAcknowledgedForNIO:
      hasAcknowledgedForNIO = false
      return false
    case FrameHeader.Kind.settings where !header.isAcknowledgement && !hasDroppedSettings:
      hasDroppedSettings = true
      return false
    default:
      break
    }
    return true
  }

  /// NIO ends a connection with 0, or with the highest number there is. The first makes clients repeat what was
  /// accepted, the second keeps them from repeating what was not read. Where GOAWAY ends nothing yet [RFC 9113, 6.8] the
  /// highest is right.
  private mutating func nameLastStream(in goAway: inout ByteBuffer) {
    let start = goAway.readerIndex + FrameHeader.size
    guard let code = goAway.getInteger(at: start + 4, as: UInt32.self),
      code != UInt32(HTTP2ErrorCode.noError.networkCode)
    else { return }
    goAway.setInteger(lastStream, at: start)
    hasEnded = true
  }

  private mutating func giveUp(_ stream: UInt32) {
    receptionEnded(of: stream)
    if givenUp.count >= limits.rememberedStreams { windows.forget(givenUp.removeFirst()) }
    givenUp.append(stream)
  }
}

enum HTTP2SettingsIdentifier {
  static let maxConcurrentStreams: UInt16 = 3
  static let maxHeaderListSize: UInt16 = 6
}
