import Core
import Model
import Places
import Presence
import Routing

extension Schemas {
    static let events: [Named] = [
        named(Event.shape), named(Alarm.shape), named(Alarm.Place.shape),
        ("AlarmPage", page("alarms", of: "Event")),
        (
            "EventPage",
            object(
                "A page of events",
                [
                    "events": ["type": "array", "items": any("Event")],
                    "next": integer("The value of 'after' for the next page"),
                    "cursor": text(
                        "The same with the epoch of the store, so that 'after' recognizes the cursor of another store"
                    ),
                ],
                optional: [
                    "earlier": text(
                        "With order=newest: the value of 'before' for the events before these; omitted when there are none"),
                    "later": text(
                        "With order=occurred: the value of 'after' for the events after these; omitted when there are none"),
                ])
        ),
    ]

    /// Schemas of visits and reports.
    static let visits: [Named] = [
        named(Visit.shape), named(Visit.insideShape),
        ("VisitPage", page("visits", of: "Visit", optional: visitMembers)),
        named(Queries.UnevaluatedPositions.shape), named(Queries.UnevaluatedPositions.listedShape),
        named(VisitTotal.shape), named(ReportRow.shape),
        named(Report.output),
        ("VisitTotalPage", page("totals", of: "VisitTotal", optional: visitMembers)),
    ]

    private static let visitMembers: KeyValuePairs<String, JSONValue> = [
        "omittedVisits": integer("With minDuration: how many visits are left out between the preceding page and this one's end"),
        "notEvaluated": list(
            "Late positions that are not evaluated, of at most 100 devices; omitted when there are none",
            of: any(Queries.UnevaluatedPositions.listedShape.name)),
    ]
}
