import ArgumentParser
import CommandSupport
import DeskbellDaemon
import HandsetCore

struct SoundCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sound",
    abstract: "Check a sound file, or play a sound.",
    discussion: """
      Examples:
        deskbell sound check examples/mailroom/sounds/parcel.caf
        deskbell sound play com.example.mailroom parcel
      """,
    subcommands: [Check.self, Play.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Show a sound file's format, length, peak and loudness, and what would play.",
      discussion: """
        Reads the file as installing an app does; needs no daemon. Peak (dBFS) and loudness (LUFS, ITU-R BS.1770) are \
        those of the converted sound. Exits with 1 if a push would play the default sound instead.

        Examples:
          deskbell sound check examples/mailroom/sounds/parcel.caf
          deskbell sound check *.wav --json
        """)

    @Argument(help: ArgumentHelp("WAV, AIFF or CAF files.", valueName: "file"))
    var files: [String]
    @OptionGroup var json: JSONOption

    func run() throws {
      let reports = try files.map { try DeskbellDaemon.checkSound(path: $0) }
      try json.print(reports) { $0.map(SoundCommand.checked).joined(separator: "\n") }
      if reports.contains(where: { $0.plays == .default }) { throw ExitCode(Program.Exit.failed) }
    }
  }

  struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "play",
      abstract: "Play a sound on the daemon's speaker: an app's, a shipped one, a file, or the default.",
      discussion: """
        Plays the sound at once, regardless of the handset's settings; an app's sound at that app's volume. It \
        replaces the current sound, and the close button stops it. Returns when playback has started; exits with 1 and \
        the reason if it cannot start.

        Examples:
          deskbell sound play
          deskbell sound play chime
          deskbell sound play com.example.mailroom parcel
          deskbell sound play examples/mailroom/sounds/stamp.aiff
        """)

    @Argument(help: ArgumentHelp("An app and its sound, a shipped sound, a file, or default.", valueName: "word"))
    var words: [String] = []
    @OptionGroup var options: HandsetQuery

    func validate() throws {
      guard words.count <= 2 else {
        throw ValidationError("Too many words: expected [APP SOUND|SHIPPED|FILE|default].")
      }
    }

    func run() async throws {
      let client = try options.client()
      let report: SoundPlayReport
      switch (words.first, words.dropFirst().first) {
      case (nil, _), ("default", nil): report = try await client.play()
      case (let app?, let sound?): report = try await client.play(sound, of: app)
      // ./chime is the file with that name.
      case (let name?, nil) where ShippedSound(rawValue: name) != nil: report = try await client.play(name)
      case (let path?, nil):
        let name = path.split(separator: "/").last.map(String.init) ?? path
        report = try await client.play(file: name, try readSound(path: path))
      }
      try options.json.print(report) { "playing \($0.sound)" }
    }
  }

  static func checked(_ report: SoundCheckReport) -> String {
    var rows: [[String]] = []
    if let format = report.format { rows.append(["format", format]) }
    if let seconds = report.seconds { rows.append(["length", "\(rounded(seconds, places: 3)) s"]) }
    if report.seconds != nil {
      rows.append(["peak", report.peakDecibels.map { "\(rounded($0, places: 1)) dBFS" } ?? "silence"])
      rows.append([
        "loudness",
        report.loudnessLUFS.map { "\(rounded($0, places: 1)) LUFS" }
          ?? (report.peakDecibels == nil ? "silence" : "too short to measure: 0.4 s are needed"),
      ])
    }
    if let clipped = report.clippedSamples {
      rows.append(["clipping", clipped == 0 ? "none" : "\(clipped) samples at full scale, in rows"])
    }
    rows.append(["plays", report.plays == .itself ? "itself" : "the default sound (A1): \(report.problem ?? "")"])
    return "\(report.file)\n" + table(rows).split(separator: "\n").map { "  \($0)" }.joined(separator: "\n")
  }

  /// Rounds to 1 or 3 decimals, which FoundationEssentials cannot.
  private static func rounded(_ number: Double, places: Int) -> String {
    let scale: Int64 = places == 1 ? 10 : 1_000
    let whole = Int64((number.magnitude * Double(scale)).rounded())
    return (number < 0 && whole > 0 ? "-" : "") + decimal(whole * (1_000 / scale), places: places)
  }
}
