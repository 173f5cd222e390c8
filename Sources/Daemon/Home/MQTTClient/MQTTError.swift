import CMosquitto
import Glibc
import SystemThreads

/// The reason why there is no client.
public struct MQTTError: Error, Hashable, Sendable, CustomStringConvertible {
  public var problem: String

  public var description: String { problem }

  init(problem: String) {
    self.problem = problem
  }

  /// Creates the error for a code of the library.
  init(code: Int32) {
    problem = MQTTError.text(code)
  }

  /// Returns the meaning of a returned code.
  static func text(_ code: Int32) -> String {
    // The value of errno is from this thread's last call.
    code == MOSQ_ERR_ERRNO.code ? SystemError.last.description : String(cString: cmosquitto_error(code))
  }
}

extension mosq_err_t {
  /// The code as the library's calls return it.
  var code: Int32 { Int32(rawValue) }
}
