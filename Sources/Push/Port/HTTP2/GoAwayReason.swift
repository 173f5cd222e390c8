/// The reason why a connection ends without an error, in Apple's words: the data of its GOAWAY.
enum GoAwayReason: String {
  case idleTimeout = "IdleTimeout"
  case shutdown = "Shutdown"

  var body: String { "{\"reason\":\"\(rawValue)\"}" }
}
