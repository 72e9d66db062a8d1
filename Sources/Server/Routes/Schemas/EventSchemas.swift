import Model
import Service

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
                        "The same with the generation of the store, so that a cursor of another store is recognized in 'after'"
                    ),
                ],
                optional: [
                    "earlier": text(
                        "With order=newest: the value of 'before' for the events before these; omitted when there are none")
                ])
        ),
        (
            "ReplayRequest",
            object(
                "The positions to evaluate again", [:],
                optional: [
                    "deviceId": text("The id of the device; all devices when omitted"),
                    "since": time("From the last checkpoint before this time; from the first position when omitted"),
                ])
        ),
        named(ReplayAnswer.shape), named(Visit.shape), named(Visit.insideShape),
        ("VisitPage", page("visits", of: "Visit")),
        named(VisitTotal.shape), named(ReportRow.shape),
        named(Report.output),
        ("VisitTotalPage", page("totals", of: "VisitTotal")),
    ]
}
