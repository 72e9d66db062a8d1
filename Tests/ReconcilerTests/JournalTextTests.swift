import Geodesy
import Model
import Reconciler
import Registry
import Testing

@Suite struct JournalTextTests {
    @Test func textIsReadAsItWasWritten() throws {
        var journal = RegistryJournal()
        let region = Region(
            id: RegionID(geofence: "home"), circle: Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 150))
        journal.entries[region.id] = .init(region: region, name: "Home \"“é", at: Instant(milliseconds: 1_777_000_000_000))
        #expect(!journal.text.contains("\n"))
        #expect(try RegistryJournal(text: journal.text) == journal)
    }

    @Test(arguments: ["", "{", "[]", "{\"version\":99}", "{\"version\":1,\"entries\":[{}]}"])
    func damagedTextIsRefused(_ text: String) {
        #expect(throws: Problem.self) { try RegistryJournal(text: text) }
    }
}
