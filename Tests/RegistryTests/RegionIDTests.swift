import Testing

@testable import Registry

@Suite struct RegionIDTests {
    @Test func regionOfGeofenceHasPrefixAndReturnsGeofenceID() {
        let id = RegionID(geofence: "home")
        #expect(id.text == "picket/home")
        #expect(id.isOurs)
        #expect(id.geofence == "home")
        #expect(id.shortText == "home")
    }

    @Test func sentinelIsOursAndHasNoGeofence() {
        #expect(RegionID.sentinel.isOurs)
        #expect(RegionID.sentinel.geofence == nil)
        #expect(RegionID.sentinel.shortText == "#sentinel")
    }

    @Test(arguments: ["home", "Picket/home", "picket", "", "com.other.sdk/picket/home"])
    func regionWithoutPrefixIsForeign(_ text: String) {
        #expect(!RegionID(text).isOurs)
        #expect(RegionID(text).geofence == nil)
        #expect(RegionID(text).shortText == text)
    }

    @Test func longIDIsShortenedInDescriptionOnly() {
        let long = RegionID(geofence: String(repeating: "x", count: 1000))
        #expect(long.description.count == 80)
        #expect(long.description.hasSuffix("…"))
        #expect(long.shortText.count == 1000)
        #expect(RegionID(String(repeating: "y", count: 80)).description == String(repeating: "y", count: 80))
    }

    @Test func controlCharactersAreEscapedInDescription() {
        #expect(RegionID("picket/a\u{0}b\nc").description == "a\\u{0}b\\u{a}c")
    }
}
