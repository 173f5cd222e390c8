import FoundationEssentials
import HandsetCore

/// The registry of an app's broadcast channels [APNs, "Sending channel management requests to APNs"], behind a port.
public protocol ChannelKeeper: Sendable {
  /// Does what a provider asks. Never blocks: it is called on an event loop.
  ///
  /// - Parameters:
  ///   - provider: the name of the provider, which may push to the app.
  ///   - completion: must be called exactly once, on any thread, when a change is stored, or will never be.
  func handle(
    _ request: ChannelRequest, of app: AppID, from provider: String,
    completion: @escaping @Sendable (ChannelAnswer) -> Void)
}

/// What becomes of the broadcasts on a channel for devices that are offline [APNs, `message-storage-policy`]. It never
/// changes.
public enum StoragePolicy: Int, Sendable, CaseIterable, Codable {
  /// Broadcasts are not stored.
  case none = 0
  /// The newest one is stored, for up to `ChannelLimits.storage`.
  case newest = 1
}

/// The limits of channels.
public enum ChannelLimits {
  /// The channels of one app in one environment [APNs: 10,000].
  public static let ofApp = 10_000
  /// The channels of all apps.
  public static let ofAll = 100_000
  /// The time for which a broadcast is stored at most [APNs: "up to 8 hours"].
  public static let storage: Duration = .seconds(8 * 3600)
}

/// A request about an app's channels whose form is valid.
public enum ChannelRequest: Sendable {
  case create(StoragePolicy)
  case read(ChannelID)
  case delete(ChannelID)
  case list
  /// A broadcast: a push of the type `liveactivity` without a device token.
  indirect case publish(Push, on: ChannelID)
}

public enum ChannelAnswer: Hashable, Sendable {
  case created(ChannelID)
  case found(StoragePolicy)
  case deleted
  /// The identifiers in their order.
  case listed([ChannelID])
  /// The broadcast is stored.
  case published
  case refused(ChannelRefusal)
  /// Nothing changed. The text says why.
  case failed(String)
}

/// The reason for which a registry refuses a request.
public enum ChannelRefusal: Hashable, Sendable {
  /// No installed app of that identifier has `broadcast: true` in its manifest.
  case featureNotEnabled
  /// The app has no such channel.
  case notRegistered
  /// There are as many channels as there can be.
  case tooMany
  /// The broadcast is to be stored, and the channel stores none.
  case mustNotBeStored
}

extension Push {
  /// The expiration of a broadcast as its channel allows it; nil if the channel refuses it. An expiration beyond the
  /// limit of storage is shortened to that.
  public func expiration(on policy: StoragePolicy, now: WallTime) -> Expiration? {
    guard case .at(let time) = expiration else { return .once }
    return policy == .none ? nil : .at(min(time, now.advanced(by: ChannelLimits.storage)))
  }
}

extension ChannelID {
  /// Returns a new identifier, of 16 random bytes in Base64: none is ever made twice.
  public static func random() -> ChannelID {
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return ChannelID(Data(bytes).base64EncodedString()) ?? random()
  }
}
