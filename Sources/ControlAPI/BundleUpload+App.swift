// The path of an installation names the app, and so does the bundle: whoever sends it and whoever takes it compare.

import HandsetCore
import StrictYAML

extension BundleUpload {
  /// The manifest's place in the bundle.
  public static let manifestPath = "app.yaml"

  /// The app that the manifest names; nil where there is no manifest or it does not name one properly.
  public var declaredApp: AppID? {
    guard let manifest = files[BundleUpload.manifestPath],
      let document = try? YAMLDocument.parse(Array(manifest), file: BundleUpload.manifestPath),
      case .mapping(let entries) = document.root.content,
      let text = try? entries.first(where: { $0.key == "id" })?.value.string()
    else { return nil }
    return AppID(text)
  }
}
