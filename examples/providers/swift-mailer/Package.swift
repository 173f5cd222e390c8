// swift-tools-version: 6.2
import PackageDescription

// The address of Deskbell's repository, such as file:///home/anna/deskbell, or an https address.
let deskbell = Context.environment["DESKBELL_REPOSITORY"] ?? "https://example.com/deskbell.git"

let package = Package(
  name: "swift-mailer",
  products: [.library(name: "Mailer", targets: ["Mailer"])],
  dependencies: [
    // Without the trait "Daemon", which is on by default, nothing that only the daemon needs is resolved or built.
    .package(url: deskbell, from: "1.0.0", traits: [])
  ],
  targets: [
    .target(name: "Mailer"),
    .testTarget(name: "MailerTests", dependencies: ["Mailer", .product(name: "DeskbellTesting", package: "deskbell")]),
  ],
  swiftLanguageModes: [.v6]
)
