// swift-tools-version: 6.2
import PackageDescription

/// The targets that wrap a C library mark every unsafe line.
let wrapsC: [SwiftSetting] = [.strictMemorySafety()]

let package = Package(
    name: "picket",
    products: [
        .executable(name: "picket", targets: ["picket"]),
        // For apps that repair their own registrations: plain Swift, no C.
        .library(name: "Reconciler", targets: ["Reconciler", "Registry", "Model", "Geodesy"]),
    ],
    targets: [
        // System libraries: a module map each, and a shim.h for what Swift cannot import.
        .systemLibrary(name: "CGEOS", pkgConfig: "geos", providers: [.apt(["libgeos-dev"])]),
        .systemLibrary(name: "CProj", pkgConfig: "proj", providers: [.apt(["libproj-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),

        // Values and decisions: no I/O.
        .target(name: "Geodesy"),
        .target(name: "Geometry", dependencies: ["CGEOS", "CProj", "Geodesy"], swiftSettings: wrapsC),
        .target(name: "Model", dependencies: ["Geodesy"]),
        .target(name: "Monitor", dependencies: ["Model", "Geometry", "Geodesy"]),
        .target(name: "Registry", dependencies: ["Model", "Geodesy"]),
        .target(name: "Reconciler", dependencies: ["Registry", "Model", "Geodesy"]),

        // The edges: bytes in, rows out.
        .target(name: "Ingest", dependencies: ["Model", "Geodesy", "CExpat"], swiftSettings: wrapsC),
        .target(name: "SQLite", dependencies: ["CSQLite", "Model"], swiftSettings: wrapsC),
        .target(name: "SimulatedOS", dependencies: ["Registry", "SQLite", "Model", "Geodesy"]),
        .target(name: "Store", dependencies: ["SQLite", "Reconciler", "Monitor", "Model", "Geodesy"]),

        // The application, and the command line over it.
        .target(
            name: "Service",
            dependencies: ["Store", "Monitor", "Ingest", "Reconciler", "Registry", "SimulatedOS", "Geometry", "Model", "Geodesy"]),
        .executableTarget(name: "picket", dependencies: ["Service", "Reconciler", "SimulatedOS"]),

        // Tests.
        .target(name: "TestSupport", dependencies: ["Model", "Geodesy"]),
        .testTarget(name: "GeodesyTests", dependencies: ["Geodesy", "Geometry", "TestSupport"]),
        .testTarget(name: "GeometryTests", dependencies: ["Geometry", "Geodesy", "TestSupport"]),
        .testTarget(name: "ModelTests", dependencies: ["Model", "TestSupport"]),
        .testTarget(name: "MonitorTests", dependencies: ["Monitor", "Geometry", "TestSupport"]),
        .testTarget(name: "RegistryTests", dependencies: ["Registry", "TestSupport"]),
        .testTarget(name: "ReconcilerTests", dependencies: ["Reconciler", "SimulatedOS", "Registry", "TestSupport"]),
        .testTarget(name: "SimulatedOSTests", dependencies: ["SimulatedOS", "Registry", "TestSupport"]),
        .testTarget(name: "IngestTests", dependencies: ["Ingest", "TestSupport"]),
        .testTarget(name: "StoreTests", dependencies: ["Store", "SQLite", "TestSupport"]),
        .testTarget(name: "ServiceTests", dependencies: ["Service", "Store", "SQLite", "SimulatedOS", "TestSupport"]),
        .testTarget(name: "PicketTests", dependencies: ["TestSupport", "Model", "SQLite", "picket"]),
    ],
    swiftLanguageModes: [.v6]
)
