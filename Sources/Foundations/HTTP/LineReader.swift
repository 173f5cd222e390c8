import NIOCore
import NIOHTTP1

/// A reader of the lines of a streamed answer, at its caller's pace.
public struct LineReader {
  private var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private let address: HTTPAddress
  private let limitBytes: Int
  private var buffer = ByteBuffer()
  /// Bytes at the front of `buffer` that are known to hold no line feed.
  private var searched = 0
  private var isAtEnd = false

  init(
    parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator, address: HTTPAddress, limitBytes: Int
  ) {
    self.parts = parts
    self.address = address
    self.limitBytes = limitBytes
  }

  /// Returns the next line without its end (`\n` or `\r\n`); nil at the end of the stream. A last line without an end
  /// counts.
  /// - Throws: `HTTPClientError.answerTooLarge` for a line above the limit, `.closedEarly` if the stream was cut off,
  ///   `.malformedAnswer` for a line that is not UTF-8; `CancellationError`.
  public mutating func next() async throws -> String? {
    while true {
      let view = buffer.readableBytesView
      if let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
        let length = end - view.startIndex
        guard length <= limitBytes, var line = buffer.readSlice(length: length) else { throw tooLarge }
        buffer.moveReaderIndex(forwardBy: 1)
        buffer.discardReadBytes()
        searched = 0
        return try text(&line)
      }
      searched = buffer.readableBytes
      guard searched <= limitBytes else { throw tooLarge }
      if isAtEnd { return nil }
      guard let part = try await parts.next() else {
        try Task.checkCancellation()
        throw HTTPClientError.closedEarly(address)
      }
      switch part {
      case .head: continue
      case .body(var chunk): buffer.writeBuffer(&chunk)
      case .end:
        isAtEnd = true
        if buffer.readableBytes > 0 { buffer.writeInteger(UInt8(ascii: "\n")) }
      }
    }
  }

  private var tooLarge: HTTPClientError { .answerTooLarge(address, limitBytes: limitBytes) }

  private func text(_ line: inout ByteBuffer) throws(HTTPClientError) -> String {
    var bytes = line.readableBytesView
    if bytes.last == UInt8(ascii: "\r") { bytes = bytes.dropLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .malformedAnswer(address, reason: "a line of the answer is not UTF-8")
    }
    return text
  }
}
