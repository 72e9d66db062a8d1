import Foundation
import TestSupport
import Testing

@testable import picket

@Suite("Visits command")
struct VisitCommandTests {
    @Test("An open visit counts up to now with --elapsed, and otherwise as long as the device was seen")
    func elapsed() async throws {
        // The command's clock shows 2026-04-24T03:06:40Z.
        let command = try InProcessCommand()
        let files = try TemporaryDirectory()
        let track = files.path + "/van.csv"
        try Data(
            """
            device,timestamp,latitude,longitude,accuracy
            van,2026-04-23T03:06:40Z,52.5,13.4,8
            van,2026-04-23T03:11:40Z,52.5,13.4,8
            """.utf8
        ).write(to: URL(filePath: track))
        #expect(try await command.runApart(GeofenceCommands.add, "--id", "depot", "--circle", "52.5,13.4,100").status == .done)
        #expect(try await command.runApart(FeedCommand.command, track).status == .done)
        let seen = try await command.runApart(VisitCommand.command)
        #expect(seen.output.last?.hasSuffix("5 min") == true, "\(seen)")
        let elapsed = try await command.runApart(VisitCommand.command, "--elapsed")
        #expect(elapsed.output.last?.hasSuffix("1 d") == true, "\(elapsed)")
    }
}
