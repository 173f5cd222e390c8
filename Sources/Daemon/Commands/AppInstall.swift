// deskbell app install: a bundle folder's files go over the socket, because the daemon may not read the caller's home.

import ArgumentParser
import CommandSupport
import DeskbellDaemon
import FoundationEssentials
import Glibc
import HTTP
import HandsetCore
import Installation
import StrictYAML
import SystemThreads

extension AppCommand {
  struct Install: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "install",
      abstract: "Install an app from its bundle folder, or replace its bundle.",
      discussion: """
        The folder has app.yaml (id, name), and may have icon.png, launch-images/, sounds/ and \
        strings/LANGUAGE.yaml. A new app is \
        registered for badge, sound and alert, so that its pushes are presented; --no-register leaves that to the app.

        An example that comes with Deskbell is installed by its name.

        Examples:
          deskbell app install mailroom
          deskbell app install ./doorbell --handset kitchen
          deskbell app install ./doorbell --all-handsets
        """)

    @Argument(help: ArgumentHelp("The app's bundle folder, or the name of a shipped example.", valueName: "dir|name"))
    var folder: String
    @Flag(inversion: .prefixedNo, help: "Register a new app for notifications.")
    var register = true
    @OptionGroup var handsets: AllHandsetsQuery

    func run() async throws {
      let folder = try BundleFolder.meant(folder)
      let bundle = try BundleFolder.read(folder)
      guard let app = bundle.declaredApp else { throw wrongBundle(folder) }
      let client = try handsets.options.client()
      do {
        if handsets.areMeant {
          var reports = try await client.installOnAll(app.text, bundle)
          for index in reports.indices {
            guard let installed = reports[index].app else { continue }
            reports[index].app = try await registered(installed, client.of(handset: reports[index].handset))
          }
          try show(reports)
        } else {
          var report = try await client.install(app.text, bundle)
          report.app = try await registered(report.app, client)
          try handsets.options.json.print(report, AppCommand.installed)
        }
      } catch HTTPClientError.refused(status: 400, let message, let hint) {
        throw wrongBundle(folder, Failure(message, hint: hint))
      }
    }

    /// Registers the app, unless it has registered or unregistered before.
    private func registered(_ app: AppReport, _ client: ControlClient) async throws -> AppReport {
      guard register, app.registration == "pending" else { return app }
      return try await client.register(app.id, kinds: NotificationKinds.all.names)
    }

    /// Prints the installed apps on standard output, each refusal on standard error.
    /// - Throws: `ExitCode` if a handset refuses the app.
    private func show(_ reports: [HandsetInstallReport]) throws {
      let installed = reports.filter { $0.refusal == nil }
      if handsets.options.json.isWanted {
        try Output.json(reports)
      } else if !installed.isEmpty {
        try Output.line(AppCommand.installed(installed))
      }
      for line in reports.compactMap(AppCommand.refused) { Output.complaint(line) }
      if installed.count < reports.count { throw ExitCode(Program.Exit.failed) }
    }

    /// Lists the errors with their places in the caller's own files, which the daemon cannot see.
    private func wrongBundle(_ folder: String, _ otherwise: Failure? = nil) -> Failure {
      let lines = DeskbellDaemon.check(path: folder).errors
      if !lines.isEmpty { return Failure("\(folder) cannot be installed\n" + lines.joined(separator: "\n")) }
      return otherwise
        ?? Failure(
          "\(folder)/\(BundleUpload.manifestPath) names no app",
          hint: "give it a line such as  id: com.example.mail")
    }
  }
}

enum BundleFolder {
  /// The bytes of all files that fit into one request.
  static let bytes = ControlLimits.bundleBodyBytes / 4 * 3 - 64 * 1024
  /// The most files in a folder: more mean that it is not a bundle but, for example, a home folder.
  static let files = 1_000

  /// Returns the folder at a path, or that of the shipped example with that name.
  /// - Throws: `Failure` if there is neither, with the names of the examples.
  static func meant(_ path: String) throws(Failure) -> String {
    if let folder = ShippedExample.folder(meant: path) { return folder }
    var status = stat()
    // An existing folder that cannot be read is reported by its reader.
    guard stat(path, &status) != 0, errno == ENOENT else { return path }
    let names = ShippedExample.names
    throw Failure(
      "'\(path)': no such folder and no shipped example",
      hint: nearest(path, among: names).map { "did you mean '\($0)'?" }
        ?? "shipped examples: \(names.joined(separator: ", ")); or give the folder that has app.yaml in it")
  }

  /// Reads all regular files except hidden ones, by path within the folder.
  /// - Throws: `Failure` if it is no folder, is too large, or a file cannot be read.
  static func read(_ folder: String) throws(Failure) -> BundleUpload {
    var status = stat()
    guard stat(folder, &status) == 0 else { throw unreadable(folder, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw Failure("\(folder) is no folder", hint: "give the folder that has app.yaml in it")
    }
    var upload = BundleUpload(files: [:])
    var size = 0
    var folders = [""]
    while let inner = folders.popLast() {
      let place = folder + inner
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: place) else {
        throw Failure("\(place) cannot be read", hint: "check its permissions")
      }
      for name in names.sorted() where !name.hasPrefix(".") {
        let path = "\(place)/\(name)"
        guard lstat(path, &status) == 0 else { throw unreadable(path, errno) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: folders.append("\(inner)/\(name)")
        case S_IFREG:
          size += Int(status.st_size)
          guard upload.files.count < files else {
            throw Failure("\(place) has more than \(files) files", hint: "is it an app's bundle folder?")
          }
          guard size <= bytes else {
            throw Failure("the bundle's files are larger than \(bytes) bytes together", hint: "shorten its sounds")
          }
          guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw Failure("\(path) cannot be read", hint: "check its permissions")
          }
          upload.files[String("\(inner)/\(name)".dropFirst())] = data
        default: continue
        }
      }
    }
    return upload
  }

  private static func unreadable(_ path: String, _ code: CInt) -> Failure {
    Failure("\(path) cannot be read: \(SystemError(code: code).reason)", hint: "check the path and its permissions")
  }
}
