import Core
import Foundation
import TestSupport
import Testing

@Suite("Data directory")
struct DataDirectoryTests {
    @Test("The default is the user's own store, otherwise that of the installed service, even if the user may not read it")
    func standard() throws {
        let folder = try TemporaryDirectory()
        let package = DataDirectory(path: folder.path + "/package")
        let home = ["HOME": folder.path]
        let own = folder.path + "/.local/share/picket"
        func chosen(_ environment: [String: String]) -> String {
            DataDirectory.defaultDirectory(environment, ofPackage: package).path
        }
        #expect(chosen(home) == own)
        // As systemd makes it for a service with a dynamic user.
        try FileManager.default.createSymbolicLink(atPath: package.path, withDestinationPath: "private/picket")
        #expect(chosen(home) == package.path)
        #expect(DataDirectory.defaultDirectory(home, ofPackage: nil).path == own)
        #expect(chosen(["HOME": folder.path, "PICKET_DATA": "/srv/p"]) == "/srv/p")
        #expect(chosen(["HOME": folder.path, "XDG_DATA_HOME": "relative"]) == package.path)
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: own + "/picket.sqlite"))
        #expect(chosen(home) == own)
        #expect(chosen(["HOME": "/", "XDG_DATA_HOME": folder.path + "/.local/share"]) == own)
    }
}
