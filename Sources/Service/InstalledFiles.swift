import Foundation

/// Files that come with the program: in a checkout, or where a package installs them.
public enum InstalledFiles {
    /// The folder of the dashboard's files; nil when they are nowhere.
    public static var dashboard: String? {
        folder("Sources/Dashboard", installed: "share/picket/dashboard", with: "index.html")
    }

    /// The folder of the sample data; nil when it is nowhere.
    public static var sampleData: String? { folder("data", installed: "share/picket/data", with: "geofences.geojson") }

    /// The first folder of that name in the program's folder or one above it that has a file in it; nil when there is none.
    ///
    /// - Parameters:
    ///   - name: In a checkout, as `data`.
    ///   - installed: The same as a package has it, as `share/picket/data`.
    ///   - file: One that must be in it.
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
