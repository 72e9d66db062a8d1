import Model
import Reconciler
import Testing

@Suite("Reported transitions")
struct ReportedTransitionsTests {
    private static func times(_ minutes: [Double]) -> [Instant] {
        minutes.map { Instant(milliseconds: 1_777_629_600_000) + $0 * 60 }
    }

    @Test(
        "An event counts as reported when a report lies within 15 minutes, and each report counts for one event",
        arguments: [
            ([], [], 0), ([0], [], 0), ([], [0], 0), ([0], [0], 1), ([0], [15], 1), ([0], [-15], 1), ([0], [15.1], 0),
            ([0], [-15.1], 0), ([0, 60, 120], [1, 119], 2), ([0, 5], [3], 1), ([0, 5], [3, 4], 2), ([0, 20], [14, 16], 2),
            ([60, 0], [61, 1], 2), ([0], [1, 2, 3], 1),
        ] as [([Double], [Double], Int)])
    func count(_ events: [Double], _ reports: [Double], _ count: Int) {
        let compared = ReportedTransitions.TransitionTimes(events: Self.times(events), reports: Self.times(reports))
        let found = ReportedTransitions(geofenceId: "home", geofenceName: "Home", enters: compared, exits: .init())
        #expect(found.events == events.count && found.reported == count)
    }

    @Test("Enters and exits are compared separately")
    func apart() {
        let enters = ReportedTransitions.TransitionTimes(events: Self.times([0]), reports: [])
        let exits = ReportedTransitions.TransitionTimes(events: Self.times([10]), reports: Self.times([1]))
        let found = ReportedTransitions(geofenceId: "home", geofenceName: "Home", enters: enters, exits: exits)
        #expect(found.json(in: AnswerLocale()).description == #"{"geofenceId":"home","name":"Home","events":2,"reported":1}"#)
    }
}
