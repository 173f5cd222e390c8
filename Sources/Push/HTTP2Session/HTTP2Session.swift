// The HTTP/2 of one connection: libnghttp2 behind an interface of bytes and streams. It does no I/O and has no limits
// of its own; its user feeds it, sends its output, and counts.

import CNGHTTP2

/// The receiver of a session's events while it reads bytes or makes frames. Within these calls the session accepts
/// answers, resets and requests, but no bytes. A class: a call through a protocol counts references, for every field.
open class HTTP2SessionDelegate {
  public init() {}

  /// - Returns: true to receive the block's fields. Otherwise the stream is reset, if it is not already.
  open func headersBegin(on stream: UInt32) -> Bool { false }
  /// - Returns: true if further fields are wanted, as above.
  open func header(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, on stream: UInt32) -> Bool { true }
  open func headersEnd(on stream: UInt32, endsStream: Bool) {}
  open func data(_ bytes: UnsafeRawBufferPointer, on stream: UInt32) {}
  /// Called when the peer ends a stream with DATA.
  open func dataEnds(on stream: UInt32) {}
  /// Asks for the next bytes of a stream's body.
  ///
  /// - Returns: the number of bytes written, and whether they are the last.
  open func writeBody(
    of stream: UInt32, to buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, isEnd: Bool) { (0, true) }
  open func streamClosed(_ stream: UInt32, code: UInt32) {}
  open func settingsReceived() {}
  open func goAwayReceived(_ data: UnsafeRawBufferPointer) {}
}

/// The session of one connection. It belongs to one thread.
public final class HTTP2Session {
  public enum Role: Sendable { case server, client }

  private let session: OpaquePointer?
  private var fields = HTTP2Fields()

  /// - Parameter delegate: must outlive the session: the owner of its only reference.
  public init(_ role: Role, delegate: HTTP2SessionDelegate) {
    // The pointer is not counted. libnghttp2 calls back only within the calls below, which the delegate makes, and so
    // lives; the session is deleted with it.
    let user = Unmanaged.passUnretained(delegate).toOpaque()
    let (callbacks, options) = (HTTP2Session.callbacks.pointer, HTTP2Session.options.pointer)
    var session: OpaquePointer?
    let result =
      switch role {
      case .server: nghttp2_session_server_new2(&session, callbacks, user, options)
      case .client: nghttp2_session_client_new2(&session, callbacks, user, options)
      }
    precondition(result == 0, "no memory for a session of HTTP/2")
    self.session = session
    guard case .client = role else { return }
    // A server's SETTINGS are sent by `PushPort`.
    var noPush = nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
    nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), &noPush, 1)
  }

  deinit { nghttp2_session_del(session) }

  /// Reads the bytes that have arrived.
  ///
  /// - Returns: the reason why nothing more can be read; nil if it can, or if the session has made its GOAWAY.
  public func receive(_ bytes: UnsafeRawBufferPointer) -> HTTP2ErrorCode? {
    let result = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    guard result < 0 else { return nil }
    return switch nghttp2_error(Int32(truncatingIfNeeded: result)) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC: .protocolError
    case NGHTTP2_ERR_FLOODED: .enhanceYourCalm
    default: .internalError
    }
  }

  /// Returns the next frame to send, or a part of one, valid until the next call of this object; nil if there is none.
  public func nextOutput() -> UnsafeRawBufferPointer? {
    var bytes: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(session, &bytes)
    return count > 0 ? UnsafeRawBufferPointer(start: bytes, count: count) : nil
  }

  /// True if nothing more is to be read or sent.
  public var isOver: Bool { nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0 }

  /// The number of streams that the peer allows at once.
  public var peerStreams: Int {
    Int(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - hasBody: true if the delegate is asked for a body; if false, the stream ends.
  ///   - addFields: adds `:status` and then the other fields.
  public func respond(to stream: UInt32, hasBody: Bool, _ addFields: (inout HTTP2Fields) -> Void) {
    fields.removeAll()
    addFields(&fields)
    fields.withPairs { pairs in
      _ = withUnsafePointer(to: HTTP2Session.bodyProvider) { provider in
        nghttp2_submit_response(
          session, Int32(bitPattern: stream), pairs.baseAddress, pairs.count, hasBody ? provider : nil)
      }
    }
  }

  public func sendContinue(on stream: UInt32) {
    fields.removeAll()
    fields.add(":status", "100")
    fields.withPairs { pairs in
      _ = nghttp2_submit_headers(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), Int32(bitPattern: stream), nil, pairs.baseAddress, pairs.count, nil)
    }
  }

  /// Opens a stream. It waits if the peer allows no further stream.
  ///
  /// - Returns: nil if the connection has no stream number left.
  public func request(_ request: HTTP2Fields, hasBody: Bool) -> UInt32? {
    var request = request
    let stream = request.withPairs { pairs in
      withUnsafePointer(to: HTTP2Session.bodyProvider) { provider in
        nghttp2_submit_request(session, nil, pairs.baseAddress, pairs.count, hasBody ? provider : nil, nil)
      }
    }
    return stream > 0 ? UInt32(stream) : nil
  }

  /// Asks the delegate for the body again, after it had no bytes.
  public func resume(_ stream: UInt32) { nghttp2_session_resume_data(session, Int32(bitPattern: stream)) }

  public func reset(_ stream: UInt32, _ code: HTTP2ErrorCode) { reset(stream, rawCode: code.rawValue) }

  /// Resets a stream with any code.
  public func reset(_ stream: UInt32, rawCode: UInt32) {
    nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), Int32(bitPattern: stream), rawCode)
  }

  // MARK: libnghttp2's side

  /// A table of libnghttp2 that is made once, and then only read.
  private struct Shared: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private static let bodyProvider = nghttp2_data_provider(
    source: nghttp2_data_source(),
    read_callback: { _, stream, buffer, length, flags, _, user in
      guard let delegate = HTTP2Session.delegate(user) else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
      let (count, isEnd) = delegate._withUnsafeGuaranteedRef {
        $0.writeBody(of: UInt32(bitPattern: stream), to: UnsafeMutableRawBufferPointer(start: buffer, count: length))
      }
      if isEnd { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return count == 0 && !isEnd ? Int(NGHTTP2_ERR_DEFERRED.rawValue) : count
    })

  private static let options = {
    var option: OpaquePointer?
    nghttp2_option_new(&option)
    // Only the tree of priorities needs closed streams, and it would keep them without a limit.
    nghttp2_option_set_no_closed_streams(option, 1)
    // These limits end connections that ours do not: some clients reset each stream after its answer.
    nghttp2_option_set_stream_reset_rate_limit(option, .max, .max)
    nghttp2_option_set_max_continuations(option, .max)
    // A field with a blank at its end would be omitted silently. Front ends remove the blank.
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1)
    return Shared(pointer: option)
  }()

  private static let callbacks = {
    var table: OpaquePointer?
    nghttp2_session_callbacks_new(&table)
    nghttp2_session_callbacks_set_on_begin_headers_callback(table) { _, frame, user in
      guard let frame, let delegate = HTTP2Session.delegate(user) else { return 0 }
      return answer(delegate._withUnsafeGuaranteedRef { $0.headersBegin(on: frame.stream) })
    }
    nghttp2_session_callbacks_set_on_header_callback(table) { _, frame, name, nameBytes, value, valueBytes, _, user in
      guard let frame, let delegate = HTTP2Session.delegate(user) else { return 0 }
      return answer(
        delegate._withUnsafeGuaranteedRef {
          $0.header(
            UnsafeRawBufferPointer(start: name, count: nameBytes),
            UnsafeRawBufferPointer(start: value, count: valueBytes), on: frame.stream)
        })
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table) { _, _, stream, bytes, count, user in
      HTTP2Session.delegate(user)?._withUnsafeGuaranteedRef {
        $0.data(UnsafeRawBufferPointer(start: bytes, count: count), on: UInt32(bitPattern: stream))
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(table) { _, frame, user in
      guard let frame, let delegate = HTTP2Session.delegate(user) else { return 0 }
      let header = frame.pointee.hd
      let endsStream = UInt32(header.flags) & UInt32(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
      switch UInt32(header.type) {
      case NGHTTP2_HEADERS.rawValue:
        delegate._withUnsafeGuaranteedRef { $0.headersEnd(on: frame.stream, endsStream: endsStream) }
      case NGHTTP2_DATA.rawValue where endsStream: delegate._withUnsafeGuaranteedRef { $0.dataEnds(on: frame.stream) }
      case NGHTTP2_SETTINGS.rawValue where UInt32(header.flags) & UInt32(NGHTTP2_FLAG_ACK.rawValue) == 0:
        delegate._withUnsafeGuaranteedRef { $0.settingsReceived() }
      case NGHTTP2_GOAWAY.rawValue:
        let goAway = frame.pointee.goaway
        delegate._withUnsafeGuaranteedRef {
          $0.goAwayReceived(UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
        }
      default: break
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(table) { _, stream, code, user in
      HTTP2Session.delegate(user)?._withUnsafeGuaranteedRef {
        $0.streamClosed(UInt32(bitPattern: stream), code: code)
      }
      return 0
    }
    return Shared(pointer: table)
  }()

  private static func delegate(_ user: UnsafeMutableRawPointer?) -> Unmanaged<HTTP2SessionDelegate>? {
    user.map { Unmanaged.fromOpaque($0) }
  }

  private static func answer(_ goesOn: Bool) -> Int32 {
    goesOn ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }
}

extension UnsafePointer<nghttp2_frame> {
  fileprivate var stream: UInt32 { UInt32(bitPattern: pointee.hd.stream_id) }
}
