/// The error codes of HTTP/2 that are sent [RFC 9113, 7].
public enum HTTP2ErrorCode: UInt32, Sendable {
  case noError
  case protocolError
  case internalError
  case flowControlError
  case settingsTimeout
  case streamClosed
  case frameSizeError
  case refusedStream
  case cancel
  case compressionError
  case enhanceYourCalm = 11
}
