import Model
import Presence
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
    package static let supportReports: [Named] = [
        ("SupportReport", report),
        named(Diagnosis.shape), named(DoctorFinding.output),
    ]

    /// Schemas of the check of the store.
    package static let storeChecks: [Named] = [
        named(StoreCheck.shape), named(StoreCheck.Flaw.shape), named(StoreCheck.Replay.shape),
    ]
}
