// swift-tools-version: 6.2
import PackageDescription

/// Ours are held to more than the dependencies are: every warning is an error. They are testable in a release build
/// too, so that the tests use the one build that is shipped and the dependencies are built once.
let swiftSettings: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .unsafeFlags(["-enable-testing"], .when(configuration: .release)),
]
/// A smaller program instead of a faster one.
let sizeSettings: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]
let cSettings: [CSetting] = [
  .unsafeFlags(["-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"])
]
// A C interface must let no exception through, so C++ is compiled without them.
let cxxSettings: [CXXSetting] = [
  .unsafeFlags(["-Wall", "-Wextra", "-Werror", "-fno-exceptions", "-fno-rtti"])
]

/// - Parameters:
///   - folder: its place in `Sources`, which begins with its room.
///   - exclude: the folders of other modules in this one's.
///   - isFast: built for speed: where a push then takes measurably less. The others are built for size.
func module(
  _ name: String, in folder: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [],
  isFast: Bool = false
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)", exclude: exclude,
    swiftSettings: swiftSettings + (isFast ? [] : sizeSettings))
}

/// - Parameter room: the folder in `Tests`; without one, `Tests` itself.
func tests(
  _ name: String, in room: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: dependencies, path: "Tests/\(room)/\(name)Tests", exclude: exclude,
    swiftSettings: swiftSettings)
}

func systemLibrary(_ name: String, in room: String, pkgConfig: String, debian package: String) -> Target {
  .systemLibrary(name: name, path: "Sources/\(room)/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// A module of ours in C or C++.
func cModule(
  _ name: String, in room: String, _ dependencies: [Target.Dependency] = [], cxxSettings: [CXXSetting] = [],
  linkerSettings: [LinkerSetting] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(room)/C/\(name)", cSettings: cSettings,
    cxxSettings: cxxSettings, linkerSettings: linkerSettings)
}

/// Only the daemon needs them: a package that tests with DeskbellTesting says `traits: []`, and resolves none of them, nor
/// their exact versions.
func product(_ name: String, of package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Daemon"]))
}

let nioCore = product("NIOCore", of: "swift-nio")
let nioPosix = product("NIOPosix", of: "swift-nio")
let nioEmbedded = product("NIOEmbedded", of: "swift-nio")
let nioHTTP1 = product("NIOHTTP1", of: "swift-nio")
let nioHTTP2 = product("NIOHTTP2", of: "swift-nio-http2")
let nioHPACK = product("NIOHPACK", of: "swift-nio-http2")
let nioWebSocket = product("NIOWebSocket", of: "swift-nio")
let nioTLS = product("NIOTLS", of: "swift-nio")
let nioSSL = product("NIOSSL", of: "swift-nio-ssl")
let crypto = product("Crypto", of: "swift-crypto")
let cryptoExtras = product("CryptoExtras", of: "swift-crypto")
let x509 = product("X509", of: "swift-certificates")
let asn1 = product("SwiftASN1", of: "swift-asn1")
let argumentParser = product("ArgumentParser", of: "swift-argument-parser")
let logging = product("Logging", of: "swift-log")

let package = Package(
  name: "deskbell",
  products: [
    .executable(name: "deskbell", targets: ["deskbell"]),
    // For the tests of push providers, in other packages (docs/test-bench-swift.md).
    .library(name: "DeskbellTesting", targets: ["DeskbellTesting"]),
  ],
  traits: [
    .trait(name: "Daemon", description: "The daemon and its tests, with the packages that they need."),
    .default(enabledTraits: ["Daemon"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
  ],
  targets: [
    // The core: the handset as a value.
    module("HandsetCore", in: "Core/Handset", isFast: true),

    // Side modules. None imports another.
    module("HandsetStore", in: "Core/Store", ["HandsetCore", "CSQLite", "CPageChecks"], isFast: true),
    module("InputRecording", in: "Core/Recording", ["HandsetCore", "HandsetStore", "SystemThreads", logging]),
    module(
      "PushPort", in: "Push",
      [
        "HandsetCore", "Clocks", "HTTP2Session", "HTTP", "ServerIdentity", "CExpat", "CJSONReader", "CMemory",
        nioCore, nioPosix, nioWebSocket, nioTLS, nioSSL, crypto, x509, asn1, logging,
      ], exclude: ["C", "HTTP2Session", "ProviderClient"], isFast: true),
    module("WebCalls", in: "Daemon/Receivers", ["HandsetCore", "HTTP", nioCore, nioPosix, nioSSL, crypto]),
    module("HomeAssistant", in: "Daemon/Home/Device", ["HTTP", "HandsetCore"]),
    module("Lint", in: "Daemon/Lint", ["HTTP", "HandsetCore"]),
    // Scenarios of a test bench and their runner, a client of the control API.
    module("Scenarios", in: "Daemon/Scenarios", ["HTTP", "StrictYAML", "SystemThreads", "CChildProcess"]),
    module("WebPanel", in: "Daemon/WebPanel/Access", ["HTTP", "ServerIdentity", "UnixSockets", crypto]),
    module("Board", in: "Devices/Board", ["HandsetCore", "StrictYAML", "SystemThreads", "CGPIOBank", "CScanLoop"]),
    module("BoardSimulator", in: "Devices/BoardSimulator", ["HandsetCore", "Board", "SystemThreads"]),
    module(
      "Speaker", in: "Devices/Speaker",
      [
        "HeldFolders", "SystemThreads", "CALSA", "CSndFile", "CSampleRate", "CEBUR128", "CChildProcess", "CConfinement",
      ]),
    module(
      "AppLink", in: "Daemon/Apps/Link", ["HandsetCore", "SystemThreads", "UnixSockets", "CChildProcess", nioCore]),
    module("FleetLink", in: "Fleet/Link", ["HandsetCore", "NATSClient", "SystemThreads", nioCore, crypto]),
    module(
      "ProviderClient", in: "Push/ProviderClient",
      ["HTTP2Session", "HTTP", "SystemThreads", "UnixSockets", nioCore, nioPosix, nioTLS, nioSSL, crypto]),

    // Foundation modules, which several others import.
    module(
      "Clocks", in: "Foundations/Clocks", ["HandsetCore", "SystemThreads", "CFileDescriptors", nioPosix],
      isFast: true),
    module("StrictYAML", in: "Foundations/StrictYAML", ["SystemThreads", "CYAML"]),
    module("SystemThreads", in: "Foundations/SystemThreads", ["CFileDescriptors"], isFast: true),
    module("HTTP2Session", in: "Push/HTTP2Session", ["CNGHTTP2"], isFast: true),
    module("MQTTClient", in: "Daemon/Home/MQTTClient", ["SystemThreads", "CMosquitto"]),
    module("NATSClient", in: "Fleet/NATSClient", ["SystemThreads", "CNATS", nioCore, nioPosix]),
    module("HTTP", in: "Foundations/HTTP", ["UnixSockets", nioCore, nioPosix, nioHTTP1], isFast: true),
    // The certificate and passwords of the push port and of the web panel.
    module(
      "ServerIdentity", in: "Foundations/ServerIdentity",
      ["HandsetCore", "HeldFolders", "SystemThreads", nioCore, nioPosix, nioSSL, crypto, cryptoExtras, x509, asn1]),
    // The order in which the daemon's parts start and stop.
    module("Services", in: "Foundations/Services"),
    module("UnixSockets", in: "Foundations/UnixSockets", isFast: true),
    // Files in folders that other users own.
    module("HeldFolders", in: "Foundations/HeldFolders", ["SystemThreads"]),
    systemLibrary("CSQLite", in: "Core", pkgConfig: "sqlite3", debian: "libsqlite3-dev"),
    systemLibrary("CYAML", in: "Foundations", pkgConfig: "yaml-0.1", debian: "libyaml-dev"),
    systemLibrary("CNGHTTP2", in: "Push", pkgConfig: "libnghttp2", debian: "libnghttp2-dev"),
    systemLibrary("CExpat", in: "Push", pkgConfig: "expat", debian: "libexpat1-dev"),
    // Needs libsimdjson-dev. SwiftPM warns of a flag in its pkg-config file, so the library is named here.
    cModule("CJSONReader", in: "Push", cxxSettings: cxxSettings, linkerSettings: [.linkedLibrary("simdjson")]),
    systemLibrary("CALSA", in: "Devices", pkgConfig: "alsa", debian: "libasound2-dev"),
    systemLibrary("CSndFile", in: "Devices", pkgConfig: "sndfile", debian: "libsndfile1-dev"),
    systemLibrary("CSampleRate", in: "Devices", pkgConfig: "samplerate", debian: "libsamplerate0-dev"),
    systemLibrary("CEBUR128", in: "Devices", pkgConfig: "libebur128", debian: "libebur128-dev"),
    systemLibrary("CQREncode", in: "Daemon", pkgConfig: "libqrencode", debian: "libqrencode-dev"),
    // Part of the C library: there is nothing to install, and nothing to link.
    .systemLibrary(name: "CFileDescriptors", path: "Sources/Foundations/C/CFileDescriptors"),
    // Needs libgpiod-dev. No module includes its header: versions 1 and 2 differ in all their declarations.
    cModule("CGPIOBank", in: "Devices", linkerSettings: [.linkedLibrary("gpiod")]),
    cModule("CScanLoop", in: "Devices", ["CGPIOBank"]),
    cModule("CChildProcess", in: "Foundations"),
    cModule("CConfinement", in: "Foundations"),
    cModule("CMemory", in: "Foundations"),
    cModule("CArguments", in: "Daemon"),
    // Needs the header of libmosquitto-dev; the library itself is opened where it is used.
    cModule("CMosquitto", in: "Daemon/Home"),
    // The same of libnats-dev.
    cModule("CNATS", in: "Fleet"),
    cModule("CPageChecks", in: "Core", ["CSQLite"]),

    module("ServiceManager", in: "Daemon/Composition/ServiceManager", ["HandsetCore", nioCore, logging]),
    module(
      "FleetFolder", in: "Fleet/Folder",
      ["HandsetCore", "HeldFolders", "ServerIdentity", "FleetLink", "NATSClient", "SystemThreads", nioCore, nioPosix]),
    module("Installation", in: "Daemon/Installation", ["HandsetCore", "Clocks", "Board", "Speaker", "StrictYAML"]),

    // The host around the handsets: the queue of inputs, the commit, the list of sinks.
    module(
      "Host", in: "Daemon/Host",
      [
        "HandsetCore", "HandsetStore", "InputRecording", "AppLink", "Clocks", "SystemThreads", nioCore, nioPosix,
        logging,
      ], isFast: true),

    // A fleet: what its members share, a desk of `deskbell serve`, and `deskbell gateway` behind its port.
    module(
      "FleetMember", in: "Fleet/Member",
      [
        "HandsetCore", "Host", "PushPort", "FleetLink", "NATSClient", "StrictYAML", "UnixSockets", nioCore, nioPosix,
        crypto, logging,
      ]),
    module(
      "FleetDesk", in: "Fleet/Desk",
      [
        "HandsetCore", "HandsetStore", "Host", "PushPort", "Clocks", "FleetLink", "FleetMember", "NATSClient",
        "Services", "SystemThreads", nioCore, logging,
      ]),
    module(
      "FleetGateway", in: "Fleet/Gateway",
      [
        "HandsetCore", "Host", "PushPort", "Clocks", "FleetLink", "FleetMember", "NATSClient", "Services", nioCore,
        logging,
      ]),

    // The daemon: the composition of all modules, and the commands.
    module(
      "DeskbellDaemon", in: "Daemon",
      [
        "HandsetCore", "HandsetStore", "HeldFolders", "Host", "InputRecording", "PushPort", "ServerIdentity",
        "HTTP", "Board", "BoardSimulator", "Speaker", "AppLink", "Clocks", "Installation", "Lint", "ServiceManager",
        "Services",
        "StrictYAML", "SystemThreads", "CMemory", "HomeAssistant", "MQTTClient", "FleetDesk", "FleetGateway",
        "FleetLink", "FleetMember",
        "UnixSockets", "WebCalls", "WebPanel", "ProviderClient", nioCore, nioPosix, crypto, logging,
      ],
      exclude: [
        "Apps/Link", "C", "Commands", "Composition/ServiceManager", "Home/C", "Home/Device",
        "Home/MQTTClient", "Host", "Installation", "Lint", "Receivers", "Scenarios", "WebPanel/Access", "deskbell",
      ]),
    // Output, errors and tables, for the commands of the daemon and of the fleet.
    module(
      "CommandSupport", in: "Daemon/Commands/Support", ["HandsetCore", "PushPort", "SystemThreads", argumentParser]),
    module(
      "FleetCommands", in: "Fleet/Commands",
      ["HandsetCore", "CommandSupport", "FleetFolder", "FleetLink", "PushPort", "ServerIdentity", argumentParser]),
    module(
      "Commands", in: "Daemon/Commands",
      [
        "HandsetCore", "InputRecording", "DeskbellDaemon", "AppLink", "Board", "BoardSimulator", "CChildProcess",
        "CommandSupport", "FleetCommands", "FleetLink", "HeldFolders", "HTTP", "Installation", "Lint",
        "ProviderClient", "PushPort", "Scenarios", "ServerIdentity", "StrictYAML", "SystemThreads", "UnixSockets",
        "CQREncode", crypto, argumentParser,
      ], exclude: ["Support"]),
    .executableTarget(
      name: "deskbell", dependencies: ["Commands", "DeskbellDaemon", "Host", "Speaker", "CArguments"],
      path: "Sources/Daemon/deskbell", exclude: ["product.ld"],
      swiftSettings: swiftSettings,
      // The product runs on boards without a Swift toolchain. Only here: the tests link what the toolchain has.
      // FoundationEssentials as a static library does not name the two that it needs itself.
      linkerSettings: [
        .unsafeFlags([
          "-static-stdlib", "-l_FoundationCollections", "-l_FoundationCShims",
          // The runtime asks for every symbol to be exported, which keeps what nobody calls: 5 MB of 39.
          "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--gc-sections", "-Xlinker", "--icf=all",
          // Relocations in their compact form: 0.1 MB instead of 2.4. Needs glibc 2.36, which Debian 12 has.
          "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
          // `make order` writes it. Names that the program no longer has are ignored.
          "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/packaging/function-order.txt",
          "-Xlinker", "--no-warn-symbol-ordering",
          "-Xlinker", "--no-eh-frame-hdr", "-Xlinker", "\(Context.packageDirectory)/Sources/Daemon/deskbell/product.ld",
        ])
      ]),

    // A bench for tests in other packages. Neither has unsafe flags, which SwiftPM refuses in a package that another one
    // depends on, and they use nothing of ours or of other packages.
    .target(
      name: "DeskbellTesting", dependencies: ["CDeskbellCurl"], path: "kits/swift/Sources/DeskbellTesting",
      swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
    // Needs libcurl4-openssl-dev, which the images of the Swift toolchain have.
    .target(
      name: "CDeskbellCurl", path: "kits/swift/Sources/CDeskbellCurl", linkerSettings: [.linkedLibrary("curl")]),

    // What a fuzzer calls and the tests replay; `make fuzz` links it with libFuzzer (below).
    .target(
      name: "FuzzTargets",
      dependencies: [
        "HandsetCore", "HandsetStore", "InputRecording", "PushPort", "ServerIdentity", "WebPanel",
        "HTTP", "HomeAssistant", "Board", "Speaker", "AppLink", "Clocks", "StrictYAML", "DeskbellDaemon",
        "FleetDesk", "FleetGateway", "FleetLink", "FleetMember", "NATSClient", "TestSupport",
        "ControlTestSupport", "CSQLite",
        nioCore, nioEmbedded, nioSSL, logging,
      ],
      path: "Fuzz/Targets", swiftSettings: swiftSettings),
    // Not part of the product.
    .executableTarget(
      name: "push-cost", dependencies: ["HandsetCore", "HandsetStore", argumentParser], path: "Benchmarks/PushCost",
      swiftSettings: swiftSettings),

    // What the tests of several modules share.
    .target(
      name: "TestSupport", dependencies: ["HandsetCore"], path: "Tests/Core/TestSupport", swiftSettings: swiftSettings),
    .target(
      name: "DaemonTestSupport", dependencies: ["HandsetCore", "Clocks", logging],
      path: "Tests/Daemon/DaemonTestSupport",
      swiftSettings: swiftSettings),
    .target(
      name: "DeviceTestSupport", dependencies: ["Board", "Speaker", "SystemThreads"],
      path: "Tests/Devices/DeviceTestSupport",
      swiftSettings: swiftSettings),
    // The control API over a real host, for its tests and for the fuzzer.
    .target(
      name: "ControlTestSupport",
      dependencies: [
        "DeskbellDaemon", "Host", "AppLink", "Clocks", "HTTP", "HandsetCore", "HandsetStore", "PushPort",
        "ServerIdentity", "Speaker", "WebPanel", "CSQLite", nioPosix, logging,
      ],
      path: "Tests/Daemon/ControlTestSupport",
      swiftSettings: swiftSettings),
    // Of Speaker's tests: a copy of the test that confines itself, which Swift cannot make.
    .target(
      name: "ConfinementProbe", dependencies: ["CConfinement"], path: "Tests/Devices/ConfinementProbe",
      cSettings: cSettings),

    tests("HandsetCore", in: "Core", ["HandsetCore", "TestSupport"], exclude: ["Golden"]),
    tests("HandsetStore", in: "Core", ["HandsetStore", "HandsetCore", "TestSupport", "CSQLite"]),
    tests(
      "InputRecording", in: "Core", ["InputRecording", "HandsetCore", "TestSupport", logging], exclude: ["Golden"]),
    tests(
      "PushPort", in: "Push",
      [
        "PushPort", "Clocks", "HandsetCore", "HeldFolders", "HTTP2Session", "HTTP", "ServerIdentity", "TestSupport",
        nioCore, nioEmbedded, nioPosix, nioWebSocket, nioTLS, nioHTTP2, nioHPACK, nioSSL, crypto, x509, asn1, logging,
      ], exclude: ["Keyed/bodies"]),
    // A front end outside of the gateway, made of public interfaces only.
    tests(
      "FrontEnd", in: "Push",
      ["PushPort", "ServerIdentity", "ProviderClient", "HTTP", "HandsetCore", nioPosix, logging]),
    // A sink outside of the daemon.
    tests("Sink", in: "Daemon", ["Host", "HandsetCore", "HandsetStore", "Clocks", nioPosix, logging]),
    tests(
      "HTTP", in: "Foundations",
      ["HTTP", "TestSupport", "UnixSockets", nioCore, nioPosix, nioHTTP1, nioEmbedded]),
    tests(
      "ProviderClient", in: "Push",
      ["ProviderClient", "HTTP2Session", "TestSupport", nioCore, nioPosix, nioHTTP2, nioHPACK, nioSSL, crypto, x509]),
    tests("WebCalls", in: "Daemon", ["WebCalls", "HTTP", "HandsetCore", nioCore, nioPosix, crypto]),
    tests("HomeAssistant", in: "Daemon", ["HomeAssistant", "HandsetCore"]),
    tests("Lint", in: "Daemon", ["Lint"]),
    tests("Scenarios", in: "Daemon", ["Scenarios", "HTTP", "StrictYAML", "TestSupport"]),
    tests("WebPanel", in: "Daemon", ["WebPanel", "HTTP", "ServerIdentity", "TestSupport", nioPosix]),
    tests(
      "Control", in: "Daemon",
      [
        "DeskbellDaemon", "Host", "ControlTestSupport", "Clocks", "HTTP", "HandsetCore", "HandsetStore", "Lint",
        "PushPort", "ProviderClient", "ServerIdentity", "StrictYAML", "TestSupport", crypto,
      ]),
    tests(
      "Commands", in: "Daemon",
      [
        "Commands", "CommandSupport", "DeskbellDaemon", "AppLink", "FleetCommands", "FleetFolder", "HeldFolders",
        "HTTP", "Installation", "Lint", "ProviderClient", "HandsetCore", "Speaker", "Board", "BoardSimulator",
        "TestSupport", "UnixSockets", crypto, argumentParser,
      ]),
    tests("Services", in: "Foundations", ["Services"]),
    tests("StrictYAML", in: "Foundations", ["StrictYAML"]),
    tests("Clocks", in: "Foundations", ["Clocks", "HandsetCore", "DaemonTestSupport", nioPosix]),
    tests("ServiceManager", in: "Daemon", ["ServiceManager", "DaemonTestSupport", nioCore, nioEmbedded]),
    tests("Installation", in: "Daemon", ["Installation", "Board"]),
    tests("FleetLink", in: "Fleet", ["FleetLink", "HandsetCore", "NATSClient"]),
    tests("FleetMember", in: "Fleet", ["FleetMember", "FleetLink", "HandsetCore", "NATSClient", "PushPort"]),
    tests(
      "FleetDesk", in: "Fleet",
      ["FleetDesk", "Host", "FleetLink", "HandsetCore", "HandsetStore", "NATSClient", "PushPort"]),
    tests(
      "FleetGateway", in: "Fleet",
      ["FleetGateway", "FleetLink", "HandsetCore", "NATSClient", "PushPort", crypto, logging]),
    tests("FleetFolder", in: "Fleet", ["FleetFolder", "FleetLink", "HandsetCore", "ServerIdentity", crypto]),
    tests("Fuzz", in: "Foundations", ["FuzzTargets"]),
    tests("DeskbellTesting", in: "Kits", ["DeskbellTesting", "HTTP", "PushPort"]),
    .testTarget(
      name: "CGPIOBankTests", dependencies: ["CGPIOBank"], path: "Tests/Devices/CGPIOBankTests", exclude: ["probe"],
      swiftSettings: swiftSettings),
    tests(
      "Board", in: "Devices",
      ["Board", "BoardSimulator", "DeviceTestSupport", "CScanLoop", "HandsetCore", "StrictYAML", "SystemThreads"]),
    tests(
      "BoardSimulator", in: "Devices", ["BoardSimulator", "Board", "DeviceTestSupport", "HandsetCore", "StrictYAML"]),
    tests(
      "Speaker", in: "Devices",
      [
        "Speaker", "ConfinementProbe", "DeviceTestSupport", "SystemThreads", "TestSupport", "CALSA", "CEBUR128",
        "CSndFile",
      ]),
    tests(
      "AppLink", in: "Daemon",
      ["AppLink", "HandsetCore", "SystemThreads", "TestSupport", "UnixSockets", "CChildProcess"]),
    tests(
      "DeskbellDaemon", in: "Daemon",
      [
        "DeskbellDaemon", "Host", "AppLink", "Board", "Clocks", "HTTP", "HandsetCore", "HeldFolders",
        "InputRecording", "HandsetStore", "Installation", "ProviderClient", "PushPort", "ServerIdentity",
        "ServiceManager", "Speaker", "StrictYAML", "DaemonTestSupport", "DeviceTestSupport", "TestSupport", "CSQLite",
        "UnixSockets", "WebCalls", nioCore, nioEmbedded, nioPosix, crypto, logging,
      ]),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)

// Only where it is asked for: this program's main function is libFuzzer's, which only a sanitizer's build has.
if Context.environment["DESKBELL_FUZZ"] != nil {
  package.targets += [
    .executableTarget(
      name: "deskbell-fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Main",
      swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])])
  ]
}
