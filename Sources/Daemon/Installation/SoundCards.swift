import FoundationEssentials

public struct SoundCard: Hashable, Sendable {
  /// The ALSA PCM: `plughw:CARD=Headphones,DEV=0`.
  public var pcm: String
  /// The title for the user: `bcm2835 Headphones`.
  public var title: String

  /// Returns the devices that the kernel lists, in its order. Devices that only record are left out.
  /// - Parameter root: the folder that contains `proc`.
  public static func all(below root: String = "") -> [SoundCard] {
    // A card: ` 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones`, then a line with the long name.
    var names: [String: String] = [:]
    for line in lines("\(root)/proc/asound/cards") {
      let parts = line.split(whereSeparator: { "[]".contains($0) })
      guard parts.count > 2, let number = Int(trimmed(parts[0])) else { continue }
      names["\(number)"] = trimmed(parts[1])
    }
    // `00-00: bcm2835 Headphones : bcm2835 Headphones : playback 8`
    return lines("\(root)/proc/asound/pcm").compactMap { line in
      let parts = line.split(separator: ":").map { trimmed($0) }
      let numbers = parts.first?.split(separator: "-").compactMap { Int($0) } ?? []
      guard numbers.count == 2, parts.count > 3, parts[3...].contains(where: { $0.hasPrefix("playback") }),
        let card = names["\(numbers[0])"]
      else { return nil }
      return SoundCard(pcm: "plughw:CARD=\(card),DEV=\(numbers[1])", title: parts[2].isEmpty ? parts[1] : parts[2])
    }
  }

  private static func lines(_ path: String) -> [Substring] {
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return text.split(separator: "\n")
  }

  private static func trimmed(_ text: Substring) -> String {
    let text = text.drop { $0 == " " }
    return String(text.reversed().drop { $0 == " " }.reversed())
  }
}
