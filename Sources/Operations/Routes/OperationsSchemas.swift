import Core
import Model
import Notifications
import Presence
import Registrations
import Routing

extension Schemas {
    private static let report = object(
        "The support bundle; it contains no secrets and no positions",
        [
            "contents": text("What the bundle contains and what it does not, for people"), "madeAt": time("When it was created"),
            "versions": anyObject("The versions of Picket, the system and libraries, by name"),
            "contact": nullable(text("The support contact; null when it is not set")),
            "settings": list(
                "The settings, without secrets",
                of: object(
                    "A setting",
                    [
                        "name": text("The setting's name"), "value": nullable(text("The value as it was written")),
                        "from": text("The source of the value"),
                    ])),
            "store": anyObject("The store's path, sizes, schema, identity and counts, or the problem with it"),
            "problems": list(
                "The open problems, including dismissed ones", of: anyObject("A problem, without the input that caused it")),
            "service": anyObject("The address and the start of the service"),
            "log": object(
                "The end of the log", ["lines": words, "lostLines": integer("The number of lines that could not be written")]),
        ],
        optional: [
            "sinks": list("The sinks and their statuses", of: anyObject("A sink")),
            "mqtt": anyObject("The state of the connection to the MQTT broker"),
        ])

    /// Schemas of the support report and of the diagnosis.
    static let supportReports: [Named] = [
        ("SupportReport", report),
        named(Diagnosis.shape), named(DoctorFinding.output),
    ]

    /// Schemas of the check of the store.
    static let storeChecks: [Named] = [
        named(StoreCheck.shape), named(StoreCheck.Flaw.shape), named(StoreCheck.Replay.shape),
    ]

    /// Schemas of the status.
    static let statuses: [Named] = [
        (
            "StatusPage",
            page(
                "devices", of: "Whereabouts",
                optional: [
                    "mqtt": any(BrokerStatus.output.name),
                    "sinks": any(SinkCounts.output.name), "problems": any(Queries.ProblemTotals.output.name),
                    "totals": any(Queries.Totals.output.name),
                    "store": any(StoreIdentity.shape.name),
                    "walBytes": integer("The size of the store's write-ahead log in bytes; not for restricted tokens"),
                ])
        ),
        named(StoreIdentity.shape), named(BrokerStatus.output), named(SinkCounts.output),
        named(Queries.ProblemTotals.output), named(Queries.Totals.output),
    ]

    /// Schemas of lists of problems.
    static let problems: [Named] = [named(ShownProblem.output), ("ProblemPage", page("problems", of: "StandingProblem"))]
}
