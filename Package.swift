// swift-tools-version: 6.2
import PackageDescription

/// For targets that wrap a C library or manage memory directly: every use of unsafe code must be marked.
let wrapsC: [SwiftSetting] = [.strictMemorySafety()]

/// The C library, for targets that do not use Foundation. On Apple platforms, these targets import Darwin instead.
let standardLibrary = Target.Dependency.target(name: "CStandardLibrary", condition: .when(platforms: [.linux]))

let package = Package(
    name: "picket",
    // The oldest systems that the library supports. Their standard library is that of Swift 5.7.
    platforms: [.iOS(.v16), .macCatalyst(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "picket", targets: ["picket"]),
        // For apps that repair their own registrations: plain Swift, no C.
        .library(name: "Reconciler", targets: ["Reconciler", "Registry", "Model", "Geodesy"]),
    ],
    targets: [
        // System libraries. Each has a module map, and some have a shim.h for declarations that Swift cannot import.
        .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .systemLibrary(name: "CProj", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CXlsxWriter", pkgConfig: "xlsxwriter", providers: [.apt(["libxlsxwriter-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CStandardLibrary"),
        // No library: the prefetch instruction of the processor, which Swift cannot express.
        .systemLibrary(name: "CPrefetch"),
        // No library: declarations of functions that the C library's Swift module lacks.
        .systemLibrary(name: "CSpawn"),
        // No library: the system header that reports whether the clock is synchronized.
        .systemLibrary(name: "CClock"),
        // No library: the system headers for changes of the machine's network.
        .systemLibrary(name: "CNetlink"),

        // A layer below SQLite that adds a checksum to each page of a database.
        .target(name: "CPageChecksums"),
        // The files in `data` that the demo needs, embedded in the program.
        .target(name: "CSampleData"),

        // Values and decisions, without I/O.
        .target(name: "Geodesy", dependencies: [standardLibrary], swiftSettings: wrapsC),
        .target(name: "Geometry", dependencies: ["CStandardLibrary", "CGEOS", "CProj", "Geodesy"], swiftSettings: wrapsC),
        .target(name: "Model", dependencies: [standardLibrary, "Geodesy"]),
        .target(
            name: "Monitor", dependencies: ["CStandardLibrary", "CPrefetch", "Model", "Geometry", "Geodesy"],
            swiftSettings: wrapsC),
        .target(name: "Delivery", dependencies: ["Model"]),
        .target(name: "Registry", dependencies: ["Model", "Geodesy"]),
        .target(name: "Reconciler", dependencies: [standardLibrary, "Registry", "Model", "Geodesy"]),

        // Input and storage.
        .target(
            name: "Ingest", dependencies: ["CStandardLibrary", "CExpat", "CZlib", "Model", "Geodesy"], swiftSettings: wrapsC),
        .target(name: "SQLite", dependencies: ["CPageChecksums", "CSQLite", "Model"], swiftSettings: wrapsC),
        .target(name: "DatabaseProblems", dependencies: ["SQLite", "Model"]),
        .target(
            name: "SimulatedOS", dependencies: ["Registry", "SQLite", "DatabaseProblems", "Workers", "Model", "Geodesy"]),
        // How many transitions a simulated phone reports, depending on how its app selects regions.
        .target(name: "Coverage", dependencies: ["SimulatedOS", "Reconciler", "Registry", "Model", "Geodesy"]),
        // Compares an app's log with what happened along a track.
        .target(name: "Comparison", dependencies: ["Coverage", "Reconciler", "Registry", "Model", "Geodesy"]),
        .target(
            name: "Store",
            dependencies: ["SQLite", "DatabaseProblems", "Monitor", "Model", "Geodesy"]),

        .target(name: "QRCode", dependencies: ["CQREncode", "Model"], swiftSettings: wrapsC),
        .target(name: "Secrets", dependencies: ["CSodium"], swiftSettings: wrapsC),
        .target(name: "HTTPClient", dependencies: ["CCurl"], swiftSettings: wrapsC),
        .target(name: "MQTT", dependencies: ["CMosquitto", "Workers", "Model"], swiftSettings: wrapsC),

        .target(name: "OwnTracks", dependencies: ["Registry", "Model", "Geodesy"]),
        // Worker threads, their queues and their clock.
        .target(name: "Workers", dependencies: ["Model"]),
        // Sends messages: by HTTP and mail, to brokers, files and programs.
        .target(
            name: "Senders",
            dependencies: ["CCurl", "CNetlink", "CSpawn", "Delivery", "HTTPClient", "MQTT", "Secrets", "Workers", "Model"],
            swiftSettings: wrapsC),

        // Applies recorded inputs to states. All replays use it.
        .target(name: "Timeline", dependencies: ["CStandardLibrary", "Store", "Monitor", "Model", "Geodesy"]),
        // Settings and their sources.
        .target(name: "Settings", dependencies: ["Model"]),
        // The log and the metrics of a running service.
        .target(name: "Observability", dependencies: ["Model"]),

        // The application: what a data directory holds, and everything that is done with it.
        // The data directory, the store's transactions, the devices in memory, and what the engine needs of each.
        .target(
            name: "Core",
            dependencies: [
                "CClock", "Timeline", "Store", "SQLite", "DatabaseProblems", "Monitor", "Reconciler", "Registry", "SimulatedOS",
                "Secrets", "Delivery", "Settings", "Observability", "Geometry", "Model", "Geodesy",
            ]),
        // Tables in files.
        .target(name: "Tables", dependencies: ["CXlsxWriter", "Core", "Model"], swiftSettings: wrapsC),
        // Geofences, devices, groups, rules, tokens, enrollment: their edits, queries and JSON.
        .target(
            name: "Places",
            dependencies: [
                "Core", "Timeline", "Store", "SQLite", "Monitor", "Ingest", "Reconciler", "SimulatedOS", "Secrets", "Delivery",
                "QRCode", "Settings", "Geometry", "Model", "Geodesy",
            ]),
        // Positions, and what follows from them: events, visits, alarms, reports, replays of late positions.
        .target(
            name: "Presence",
            dependencies: [
                "Tables", "Places", "Core", "Timeline", "Store", "SQLite", "Monitor", "SimulatedOS", "Delivery",
                "Geometry",
                "Model", "Geodesy",
            ]),
        // The running service: the threads of the writer and the readers, and what commands do with it or without it.
        .target(
            name: "Service",
            dependencies: [
                "Presence", "Places", "Core", "CSampleData", "Store", "SQLite", "DatabaseProblems", "Ingest", "SimulatedOS",
                "Workers", "Settings", "Observability", "Model",
            ]),
        // The parts of the HTTP routes of features: the route, the request, the answer.
        .target(
            name: "Routing", dependencies: ["Service", "Core", "Ingest", "Settings", "Model", "Geodesy"], swiftSettings: wrapsC),
        // The regions that phones watch: their health, their repair, and what phones report of them.
        .target(
            name: "Registrations",
            dependencies: [
                "Routing", "Service", "Presence", "Places", "Core", "Store", "SQLite", "Comparison", "Coverage", "OwnTracks",
                "SimulatedOS", "Reconciler", "Registry", "Ingest", "MQTT", "Senders", "Delivery", "Secrets", "Settings",
                "Observability", "Model", "Geodesy",
            ]),
        // Addresses and places from a geocoder, and their answers in the store.
        .target(
            name: "Geocoding",
            dependencies: [
                "Routing", "Core", "Store", "SQLite", "Senders", "HTTPClient", "Delivery", "Workers", "Model", "Geodesy",
            ]),
        // The past of devices: tracks, explanations, requested replays, corrections, and the removal of positions.
        .target(
            name: "History",
            dependencies: [
                "Geocoding", "Routing", "Service", "Presence", "Places", "Tables", "Core", "Timeline", "Store", "SQLite",
                "Monitor", "Ingest", "Reconciler", "SimulatedOS", "Geometry", "Model", "Geodesy",
            ]),
        // Sends events, alarms and positions to other services.
        .target(
            name: "Notifications",
            dependencies: [
                "Routing", "Service", "Presence", "Places", "Core", "Store", "SQLite", "Senders", "Delivery", "Secrets",
                "Workers", "Settings", "Observability", "Model",
            ]),
        // Backups, the doctor, the support bundle, and what a running service reports about its condition.
        .target(
            name: "Operations",
            dependencies: [
                "Registrations", "Notifications", "Routing", "Service", "Presence", "Places", "Tables", "Core", "Store", "SQLite",
                "DatabaseProblems", "SimulatedOS", "Reconciler", "Registry", "Ingest", "MQTT", "Senders", "Delivery", "Secrets",
                "QRCode", "Settings", "Observability", "Geometry", "Model", "Geodesy",
            ]),
        // The HTTP server: connections and their limits, requests and the sending of answers, the certificate.
        .target(
            name: "HTTPServer",
            dependencies: ["CMicrohttpd", "CGnuTLS", "CStandardLibrary", "Routing", "Workers", "Settings", "Model"],
            swiftSettings: wrapsC),
        // The service on the network: all routes, access control, live streams, periodic work, the start.
        .target(
            name: "Server",
            dependencies: [
                "CZlib", "HTTPServer", "Operations", "Registrations", "History", "Geocoding", "Notifications", "Routing",
                "Service",
                "Presence", "Places", "Tables", "Core", "Ingest", "Secrets", "Senders", "Delivery", "Workers", "Settings",
                "Observability", "Model", "Geodesy",
            ],
            swiftSettings: wrapsC),
        // Shared by the command line programs: parsing of arguments, output, reports of problems.
        .target(name: "ToolSupport", dependencies: ["Core", "Workers", "Settings", "Model"]),
        // The client of the API, for commands: requests over a socket or in this process, answers as values.
        .target(
            name: "Client",
            dependencies: [
                "Server", "HTTPServer", "Operations", "Registrations", "History", "Service", "Presence", "Places", "Core",
                "Comparison", "SQLite", "Ingest", "Senders", "HTTPClient", "Delivery", "Workers", "Settings", "Model",
            ]),
        .executableTarget(
            name: "picket",
            dependencies: [
                "Client", "ToolSupport", "Server", "HTTPServer", "Operations", "Registrations", "History", "Notifications",
                "Service", "Presence", "Places", "Tables", "Core", "Comparison", "Coverage", "Delivery", "QRCode", "Ingest",
                "Workers",
                "Reconciler", "Registry", "SimulatedOS", "Settings", "Geometry", "Model", "Geodesy",
            ]),

        // The benchmarks, which `picket bench` runs. They are not part of the Debian package.
        .executableTarget(
            name: "picket-bench",
            dependencies: [
                "Presence", "Core", "ToolSupport", "Notifications", "Senders", "HTTPClient", "Workers", "Reconciler", "Registry",
                "Monitor", "Settings", "Model", "Geodesy",
            ]),
        // How noise affects the decisions. See tools/noise-study/run and docs/internals/noise-study.md.
        .executableTarget(
            name: "noise-study", dependencies: ["Monitor", "Ingest", "Geometry", "Model", "Geodesy", "TestSupport"],
            path: "tools/noise-study", exclude: ["run"]),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "CSpawn", "CSQLite", "SimulatedOS", "Reconciler", "Registry", "HTTPClient", "MQTT", "Model", "Geodesy",
            ]),
        // Services in directories of their own, and inputs for them.
        .target(
            name: "ServiceTestSupport",
            dependencies: [
                "History", "Service", "Presence", "Places", "Core", "Timeline", "Store", "SQLite", "Ingest", "Monitor", "Model",
                "Geodesy", "TestSupport",
            ]),
        .testTarget(name: "GeodesyTests", dependencies: ["Geodesy", "Geometry", "TestSupport"]),
        .testTarget(name: "GeometryTests", dependencies: ["Geometry", "Geodesy", "TestSupport"]),
        .testTarget(name: "ModelTests", dependencies: ["Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "MonitorTests", dependencies: ["Monitor", "Geometry", "Geodesy", "Model", "TestSupport", "noise-study"]),
        .testTarget(name: "DeliveryTests", dependencies: ["Delivery", "Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "SendersTests",
            dependencies: ["Senders", "CNetlink", "Delivery", "HTTPClient", "MQTT", "Secrets", "Workers", "Model", "TestSupport"]),
        .testTarget(name: "RegistryTests", dependencies: ["Registry", "Model", "TestSupport"]),
        .testTarget(
            name: "ReconcilerTests",
            dependencies: ["Reconciler", "SimulatedOS", "Registry", "Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "SimulatedOSTests", dependencies: ["SimulatedOS", "Registry", "SQLite", "Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "CoverageTests",
            dependencies: ["Coverage", "SimulatedOS", "Reconciler", "Registry", "Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "ComparisonTests",
            dependencies: ["Comparison", "Coverage", "SimulatedOS", "Reconciler", "Registry", "Model", "Geodesy", "TestSupport"]),
        .testTarget(name: "IngestTests", dependencies: ["CZlib", "Ingest", "Model", "Geodesy", "TestSupport"]),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite", "CSQLite", "TestSupport"]),
        .testTarget(
            name: "StoreTests",
            dependencies: ["Store", "SQLite", "Monitor", "Model", "Geodesy", "TestSupport"]),
        .testTarget(
            name: "CoreTests",
            dependencies: [
                "Registrations", "History", "Service", "Presence", "Places", "Core", "Timeline", "Store", "SQLite", "SimulatedOS",
                "Ingest", "Reconciler", "Registry", "Settings", "Monitor", "Model", "Geodesy", "ServiceTestSupport",
                "TestSupport",
            ]),
        .testTarget(
            name: "PlacesTests",
            dependencies: [
                "Operations", "Registrations", "History", "Service", "Presence", "Places", "Core", "Store", "SQLite", "Ingest",
                "Reconciler", "Secrets", "Settings", "Monitor", "CGEOS", "Geometry", "Model", "Geodesy", "ServiceTestSupport",
                "TestSupport",
            ]),
        .testTarget(
            name: "PresenceTests",
            dependencies: [
                "Registrations", "History", "Service", "Presence", "Places", "Core", "Timeline", "Store", "SQLite", "Ingest",
                "Delivery", "Settings", "Monitor", "Model", "Geodesy", "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Registrations", "Service", "Presence", "Places", "Core", "Store", "SQLite", "Ingest", "Workers", "Settings",
                "Observability", "Model", "Geodesy", "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "RegistrationsTests",
            dependencies: [
                "Registrations", "History", "Service", "Presence", "Places", "Core", "Comparison", "Store", "SQLite",
                "SimulatedOS", "Ingest", "Reconciler", "Registry", "MQTT", "Secrets", "Settings", "Observability", "Model",
                "Geodesy", "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "GeocodingTests",
            dependencies: ["Geocoding", "Core", "Places", "Store", "Model", "Geodesy", "ServiceTestSupport", "TestSupport"]),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "History", "Service", "Presence", "Places", "Core", "Timeline", "Store", "SQLite", "Ingest", "Monitor",
                "Geometry", "Model", "Geodesy", "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "NotificationsTests",
            dependencies: [
                "Notifications", "History", "Service", "Presence", "Places", "Core", "Store", "SQLite", "Senders", "Delivery",
                "MQTT",
                "Secrets", "Model", "Geodesy", "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(
            name: "OperationsTests",
            dependencies: [
                "Operations", "Registrations", "History", "Service", "Presence", "Places", "Core", "Store", "SQLite",
                "SimulatedOS", "Ingest", "Reconciler", "Registry", "Delivery", "Settings", "Model", "Geodesy",
                "ServiceTestSupport", "TestSupport",
            ]),
        .testTarget(name: "SettingsTests", dependencies: ["Settings", "Model", "TestSupport"]),
        .testTarget(name: "ObservabilityTests", dependencies: ["Observability", "Model", "TestSupport"]),
        .testTarget(name: "QRCodeTests", dependencies: ["QRCode", "Model", "TestSupport"]),
        .testTarget(name: "SecretsTests", dependencies: ["Secrets"]),
        .testTarget(
            name: "OwnTracksTests", dependencies: ["OwnTracks", "Reconciler", "Registry", "Model", "Geodesy", "TestSupport"]),
        .testTarget(name: "MQTTTests", dependencies: ["Senders", "MQTT", "Model", "TestSupport"]),
        .testTarget(name: "HTTPClientTests", dependencies: ["HTTPClient", "TestSupport"]),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "Routing", "Workers", "Settings", "Model", "TestSupport"]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Server", "HTTPServer", "Operations", "Registrations", "History", "Notifications", "Routing", "Service",
                "Presence", "Places", "Core", "Comparison", "SimulatedOS", "SQLite", "Delivery", "MQTT", "Secrets", "Settings",
                "Observability", "Ingest", "Model", "Geodesy", "TestSupport",
            ]),
        .testTarget(name: "ClientTests", dependencies: ["Client", "Core", "Settings", "Model", "TestSupport"]),
        .testTarget(
            name: "DashboardTests", dependencies: ["Geodesy", "Geometry", "Delivery", "Model", "TestSupport", "picket"]),
        .testTarget(
            name: "PicketTests",
            dependencies: ["ToolSupport", "TestSupport", "Workers", "Delivery", "Model", "SQLite", "HTTPClient", "picket"]),
        .testTarget(name: "PicketBenchTests", dependencies: ["Model", "TestSupport", "picket", "picket-bench"]),
    ],
    swiftLanguageModes: [.v6]
)

#if !os(Linux)
    // Everything except the library is for Linux only. On other systems, the package must not contain the other targets: SwiftPM refuses an
    // app with a module that has the same name as a dependency's target, such as Settings, even if the app does not use that target.
    let library: Set = ["Reconciler", "Registry", "Model", "Geodesy", "CStandardLibrary"]
    package.products.removeAll { $0.name != "Reconciler" }
    package.targets.removeAll { !library.contains($0.name) }
#endif
