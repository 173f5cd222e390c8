// All parsers of untrusted input, each behind one function of bytes. A fuzzer calls it with generated inputs, and the
// tests with the corpus, so that earlier findings stay fixed.

/// A parser of untrusted bytes.
public enum FuzzTarget: String, CaseIterable, Sendable {
  case appLines = "app-lines"
  case appManifest = "app-manifest"
  case appStrings = "app-strings"
  case boardFile = "board-file"
  case channel
  case controlAPI = "control-api"
  case credential
  case eventRecord = "event-record"
  case fault
  case fleetMessage = "fleet-message"
  case homeCommand = "home-command"
  case keyedRequest = "keyed-request"
  case panel
  case propertyList = "property-list"
  case providerToken = "provider-token"
  case push
  case pushPort = "push-port"
  case recordedInputs = "recorded-inputs"
  case settingsFile = "settings-file"
  case soundFile = "sound-file"
  case storedRows = "stored-rows"

  /// A forbidden effect of the bytes. Crashes, leaks and hangs are detected without it.
  public struct Finding: Error, CustomStringConvertible {
    public let description: String
  }

  /// The longest input of a fuzzer in bytes: enough to exceed every limit of the module.
  public var longestInput: Int {
    switch self {
    case .eventRecord, .propertyList: 2 * 1024
    case .providerToken: 3 * 1024
    case .controlAPI, .appLines, .boardFile, .credential, .fault, .homeCommand, .keyedRequest, .panel, .settingsFile,
      .storedRows:
      8 * 1024
    case .appManifest, .appStrings, .channel, .fleetMessage, .push, .pushPort, .recordedInputs: 16 * 1024
    case .soundFile: 64 * 1024
    }
  }

  /// - Throws: `Finding`.
  public func run(_ bytes: [UInt8]) throws(Finding) {
    switch self {
    case .appLines: try runAppLines(bytes)
    case .appManifest: runAppManifest(bytes)
    case .appStrings: runAppStrings(bytes)
    case .boardFile: try runBoardFile(bytes)
    case .channel: try runChannel(bytes)
    case .controlAPI: try runControlAPI(bytes)
    case .credential: try runCredential(bytes)
    case .eventRecord: try runEventRecord(bytes)
    case .fault: try runFault(bytes)
    case .fleetMessage: try runFleetMessage(bytes)
    case .homeCommand: try runHomeCommand(bytes)
    case .keyedRequest: try runKeyedRequest(bytes)
    case .panel: try runPanel(bytes)
    case .propertyList: try runPropertyList(bytes)
    case .providerToken: try runProviderToken(bytes)
    case .push: try runPush(bytes)
    case .pushPort: try runPushPort(bytes)
    case .recordedInputs: try runRecordedInputs(bytes)
    case .settingsFile: try runSettingsFile(bytes)
    case .soundFile: try runSoundFile(bytes)
    case .storedRows: try runStoredRows(bytes)
    }
  }
}

/// Reports a finding if `condition` is false.
func hold(_ condition: Bool, _ words: @autoclosure () -> String) throws(FuzzTarget.Finding) {
  guard condition else { throw FuzzTarget.Finding(description: words()) }
}
