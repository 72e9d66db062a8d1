import Foundation
import TestSupport
import Testing

@testable import picket

@Suite("Version")
struct VersionTests {
    @Test("The list of changes, the add-on and the example for containers are those of this version")
    func files() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: SharedData.checkout.appending(path: path), encoding: .utf8)
        }
        #expect(Picket.version.wholeMatch(of: #/\d+\.\d+\.\d+/#) != nil)
        let newest = try text("CHANGELOG.md").split(separator: "\n").first { $0.hasPrefix("## ") }
        #expect(newest == "## \(Picket.version)")
        #expect(try text("tools/home-assistant/config.yaml").contains("\nversion: \"\(Picket.version)\"\n"))
        #expect(try text("tools/compose/compose.yaml").contains("image: picket:\(Picket.version)\n"))
    }
}
