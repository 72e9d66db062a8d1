import Model
import Service

extension Schemas {
    static let events: [Named] = [
        named(Event.shape), named(Alarm.shape), named(Alarm.Place.shape),
        ("AlarmPage", page("alarms", of: "Event")),
        (
            "EventPage",
            object(
                "A part of the events",
                [
                    "events": ["type": "array", "items": any("Event")],
                    "next": integer("What to give as 'after' for what follows"),
                    "cursor": text(
                        "The same, with the generation of the store: given as 'after' it is also known when it is from another store"
                    ),
                ],
                optional: [
                    "earlier": text(
                        "With order=newest: what to give as 'before' for the events before these; absent when there are none")
                ])
        ),
        (
            "ReplayRequest",
            object(
                "What is to be judged anew", [:],
                optional: [
                    "deviceId": text("Whose fixes; all devices' when left out"),
                    "since": time("From the last checkpoint before this time on; everything when left out"),
                    "geofences": list(
                        "The ids of geofences that hold for the past as they are now; those of the time when left out",
                        of: ["type": "string"]),
                    "all": flag("All active geofences hold for the past as they are now"),
                    "deleted": flag("With geofences or all: also retract the events of removed and inactive geofences"),
                    "apply": flag("With geofences or all: false to be told what would change, and write nothing"),
                ])
        ),
        ("SupposedEvent", anyObject("An event that is not on record: without id, sequence and recordedAt")),
        named(PastFinding.shape), named(PastFinding.Change.shape), named(PastFinding.Example.shape),
        named(ReplayAnswer.shape), named(Visit.shape), named(Visit.insideShape),
        ("VisitPage", page("visits", of: "Visit")),
        named(VisitTotal.shape), named(ReportRow.shape),
        (
            "Report",
            object(
                "Visits and distances, added up by period",
                [
                    "by": oneOf("What a row stands for", ReportQuestion.Subject.self),
                    "period": oneOf("How long the periods are", ReportPeriod.self), "timeZone": text("Of the periods"),
                    "since": time("The first moment"), "until": time("The first moment that does not count"),
                    "rows": list("By period, then by what they stand for", of: any("ReportRow")),
                ])
        ),
        ("VisitTotalPage", page("totals", of: "VisitTotal")),
    ]
}
