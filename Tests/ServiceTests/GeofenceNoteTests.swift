import Model
import Service
import Testing

@Suite("Geofence notes")
struct GeofenceNoteTests {
    @Test("A note on how an outline was read has a text in every language", arguments: Language.allCases)
    func notes(_ language: Language) {
        for code in GeofenceNote.Code.allCases {
            let json = GeofenceNote(code, geofenceId: "fiji", west: 176.5, east: 182).json(in: language)
            let message = json["message"]?.string ?? ""
            for part in ["'fiji'", "176.5", "182"] { #expect(message.contains(part), "\(message)") }
            #expect(message.contains("--as-written") == (code == .shortWay))
        }
    }
}
