import Model
import Testing

@testable import Coverage

@Suite("Comparison of transitions")
struct TransitionComparisonTests {
    /// Transitions of one geofence: `+` for an enter and `-` for an exit, and the seconds.
    private func transitions(_ text: String, of geofence: String = "a") -> [RegionTransition] {
        text.split(separator: " ").map {
            RegionTransition(
                deviceID: "d", geofenceID: geofence, isEnter: $0.hasPrefix("+"),
                at: Instant("2026-05-01T10:00:00Z")! + Double($0.dropFirst())!)
        }
    }

    @Test(
        "A transition counts as reported between the previous and the next one of its geofence; everything else is wrong",
        arguments: [
            ("+10 -50 +90", "+10 -50 +90", 3, "", ""),
            ("+10 -50 +90", "+12 -60 +100", 3, "", ""),
            ("+10 -50 +90", "+2 -45 +80", 3, "", ""),
            ("+10 -50 +90", "+95", 1, "+10 -50", ""),
            ("+10 -50 +90", "+10", 1, "-50 +90", ""),
            ("+10 -50", "", 0, "+10 -50", ""),
            ("", "+10 -50", 0, "", "+10 -50"),
            ("+10 -90", "+10 -40 +50 -90", 2, "", "+50 -90"),
            ("+10 -50", "+55 -60", 1, "+10", "+55"),
        ])
    func cases(reference: String, heard: String, reported: Int, missed: String, wrong: String) {
        let comparison = TransitionComparison(of: transitions(heard), with: transitions(reference))
        #expect(comparison.reported == reported)
        #expect(comparison.missed == transitions(missed))
        #expect(comparison.wrong == transitions(wrong))
        #expect(comparison.missedPeriods.count == comparison.missed.count)
    }

    @Test("Geofences are compared each for itself")
    func geofences() {
        let comparison = TransitionComparison(
            of: transitions("+10 -20", of: "b") + transitions("+30", of: "c"),
            with: transitions("+10", of: "a") + transitions("+11 -19", of: "b"))
        #expect(comparison.reported == 2 && comparison.missed == transitions("+10", of: "a"))
        #expect(comparison.wrong == transitions("+30", of: "c"))
    }

    @Test("A geofence was at risk in a period if health named it at any time in it")
    func risks() {
        let start = Instant("2026-05-01T10:00:00Z")!
        var history = RiskHistory()
        history.record(["a", "b"], at: start + 10)
        history.record(["b"], at: start + 20)
        #expect(history.wasAtRisk("a", in: start...(start + 10)))
        #expect(history.wasAtRisk("a", in: (start + 20)...(start + 30)))
        #expect(!history.wasAtRisk("a", in: (start + 21)...(start + 30)))
        #expect(!history.wasAtRisk("a", in: start...(start + 9)))
        #expect(history.wasAtRisk("b", in: (start + 100)...(start + 200)))
        #expect(!history.wasAtRisk("c", in: start...(start + 200)))
    }
}
