import Foundation
import Model

/// Files that belong to the program, in a checkout of the repository or as installed by a package.
package enum InstalledFiles {
    /// The path of the folder with the dashboard's files; nil if it is not found.
    package static var dashboard: String? { folder("Sources/Dashboard", installed: installedDashboard, with: "index.html") }

    private static let installedDashboard = "share/picket/dashboard"

    /// The problem that there is no dashboard.
    package static let dashboardProblem = Problem.fileFailed(
        path: installedDashboard + "/index.html",
        reason: Phrase(
            """
            it was not found in any folder above the program, so there is no dashboard. Everything else works. Install \
            Picket's package, or start the program from the folder in which it was built
            """))

    /// The path of the folder with the sample data; nil if it is not found.
    package static var sampleData: String? { folder("data", installed: "share/picket/data", with: "geofences.geojson") }

    /// The first folder with this name that contains a certain file, in the program's folder or the folders above it; nil if there is none.
    ///
    /// - Parameters:
    ///   - name: The path in a checkout, for example `data`.
    ///   - installed: The path as installed by a package, for example `share/picket/data`.
    ///   - file: The name of a file that the folder must contain.
    private static func folder(_ name: String, installed: String, with file: String) -> String? {
        var folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        while true {
            for path in [name, installed].map({ folder.appending(path: $0) })
            where FileManager.default.fileExists(atPath: path.appending(path: file).path) { return path.path }
            if folder.path == "/" { return nil }
            folder.deleteLastPathComponent()
        }
    }
}
