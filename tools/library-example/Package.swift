// swift-tools-version: 6.2
import PackageDescription

// The package of an app that depends on Picket. See docs/swift-library.md.

/// SwiftPM names a package in a folder after the folder, which can have any name for a checkout. An app writes "picket".
let picket = Context.packageDirectory.split(separator: "/").dropLast(2).last.map(String.init) ?? "picket"

/// The app has its own module `Model`, so Picket's module of that name is called `PicketModel` here.
let reconciler = Target.Dependency.product(name: "Reconciler", package: picket, moduleAliases: ["Model": "PicketModel"])

let package = Package(
    name: "library-example",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "GeofenceRepair", targets: ["GeofenceRepair"])],
    dependencies: [.package(path: "../..")],
    targets: [
        // What the app saves.
        .target(name: "Model"),
        // Core Location behind `RegionRegistry`, and when to repair.
        .target(name: "GeofenceRepair", dependencies: ["Model", reconciler]),
        // Core Location without a phone, for tests and for the example.
        .target(name: "SimulatedLocations", dependencies: ["GeofenceRepair", reconciler]),
        .executableTarget(name: "RepairExample", dependencies: ["GeofenceRepair", "Model", "SimulatedLocations", reconciler]),
        .testTarget(
            name: "GeofenceRepairTests",
            dependencies: ["GeofenceRepair", "Model", "RepairExample", "SimulatedLocations", reconciler]),
    ],
    swiftLanguageModes: [.v6]
)
