// swift-tools-version: 6.2
import PackageDescription

// The core alone, so that a rule is tried in seconds: `make core`. It imports nothing, and its tests nothing but it. The
// package of the whole program (../../Package.swift) has the same targets. Tests is a link to Tests/Core, because the
// paths of a package are inside it.

let swiftSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "core",
  targets: [
    .target(name: "HandsetCore", path: "Handset", swiftSettings: swiftSettings),
    .target(
      name: "TestSupport", dependencies: ["HandsetCore"], path: "Tests/TestSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "HandsetCoreTests", dependencies: ["HandsetCore", "TestSupport"], path: "Tests/HandsetCoreTests",
      exclude: ["Golden"], swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
