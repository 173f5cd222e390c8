import CMosquitto
import Glibc
import SystemThreads

/// Why there can be no client.
public struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problem: String

  public var description: String { problem }

  init(problem: String) {
    self.problem = problem
  }

  /// Of a call of the library.
  init(code: Int32) {
    problem = MQTTError.text(code)
  }

  /// What a returned code means.
  static func text(_ code: Int32) -> String {
    // What errno is belongs to this thread's last call.
    code == MOSQ_ERR_ERRNO.code ? SystemError.last.description : String(cString: cmosquitto_error(code))
  }
}

extension mosq_err_t {
  /// As the library's calls return it.
  var code: Int32 { Int32(rawValue) }
}
