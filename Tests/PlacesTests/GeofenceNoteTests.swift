import Geodesy
import Model
import Places
import Testing

@Suite("Geofence notes")
struct GeofenceNoteTests {
    private static let place = Coordinate(latitude: 13.38, longitude: 52.52)
    private static let notes: [GeofenceNote] = [
        .shortWay(geofenceId: "fiji", west: 176.5, east: 182), .asWritten(geofenceId: "fiji", west: 176.5, east: 182),
        .place(geofenceId: "fiji", place), .area(BoundingBox(south: -19.004, north: 12.3456, west: 176.5, east: 182)),
        .farAway(geofenceId: "fiji", place, distance: 5_612_345), .swapped(geofenceId: "fiji", place, distance: 999_999),
    ]

    @Test("A note has a text in every language, and is decoded from its JSON", arguments: Language.allCases)
    func notes(_ language: Language) throws {
        #expect(Set(Self.notes.map(\.code)) == Set(GeofenceNote.Code.allCases))
        for note in Self.notes {
            let json = note.json(in: language)
            let message = json["message"]?.string ?? ""
            let parts: [String] =
                switch note.code {
                case .shortWay, .asWritten: ["'fiji'", "176.5", "182"]
                case .place: ["'fiji'", "13.38, 52.52"]
                case .area: ["-19", "12.35", "176.5", "182"]
                case .farAway: ["'fiji'", "13.38, 52.52", language == .english ? "5,600 km" : "5.600 km"]
                case .swapped: ["'fiji'", "13.38, 52.52", "52.52, 13.38", language == .english ? "1,000 km" : "1.000 km", "?"]
                }
            for part in parts { #expect(message.contains(part), "\(message)") }
            #expect(message.contains("--as-written") == (note.code == .shortWay))
            #expect(try GeofenceNote.shape.decode(json) == note)
        }
    }

    @Test("A note without one of its members is refused")
    func incomplete() {
        for note in Self.notes {
            let members = note.json(in: .english).members ?? []
            for left in members where left.name != "message" {
                let json = JSONValue.object(members.filter { $0.name != left.name })
                #expect(throws: JSONMismatch.self, "\(json)") { try GeofenceNote.shape.decode(json) }
            }
        }
    }
}
