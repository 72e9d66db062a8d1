import Model
import Monitor
import Service

extension Schemas {
    static let explanations: [Named] = [
        (
            "Explanation",
            object(
                "Why something happened between a device and a geofence, or why not; with the visit that the moment lies in, the last one "
                    + "that ended before and the first one that began later",
                [
                    "deviceId": text("Whose"), "geofenceId": text("Where"), "geofenceName": text("For people"),
                    "answer": text("Whether the device was inside at the moment, and why, in one sentence"),
                    "steps": list("The fixes around the moment, and what happened between them", of: any("ExplanationStep")),
                    "events": list(
                        "The events of the time that the steps span, the last one before and the first one after",
                        of: any("Event")),
                    "policy": object("What was decided by", policy),
                ],
                optional: [
                    "at": time("The moment; absent when the device's newest fix is meant and there is none"),
                    "visit": any("Visit"), "visitBefore": any("Visit"), "visitAfter": any("Visit"),
                    "remarks": list("Why what is shown may be other than what was decided", of: ["type": "string"]),
                ])
        ),
        (
            "ExplanationStep",
            object(
                "A fix, or what happened without one",
                [
                    "timestamp": time("When it was"), "rule": oneOf("The rule that held", Explanation.Rule.self),
                    "because": text("The rule in words"),
                ],
                optional: [
                    "latitude": number("Degrees"), "longitude": number("Degrees"), "accuracy": number("Meters, 68 %"),
                    "distance": number("Meters from the fence's boundary, negative inside"),
                    "counted": number("So many meters of the accuracy count"),
                    "margin": number("So many meters past the boundary count as out"),
                    "reading": oneOf("What the fix says by itself", Measurement.Containment.self),
                    "before": oneOf("What was known before; absent when nothing was judged", Explanation.State.self),
                    "after": oneOf("What is known after it", Explanation.State.self),
                ])
        ),
        (
            "PolicyNumber",
            object(
                "A number of the policy, and who says so",
                [
                    "value": ["oneOf": [number("So much"), text("No limit", .init("enum", ["none"]))]],
                    "unit": text("m, m/s, s, deviations, or empty for a count"),
                    "from": oneOf("The geofence before the device before the store", Explanation.PolicyParameter.Source.self),
                ])
        ),
    ]

    private static let policy: KeyValuePairs<String, JSONValue> = [
        "accuracyCap": any("PolicyNumber"), "maxAccuracy": any("PolicyNumber"), "exitMargin": any("PolicyNumber"),
        "confirmFixes": any("PolicyNumber"), "confirmSeconds": any("PolicyNumber"), "maxSpeed": any("PolicyNumber"),
        "crossing": any("PolicyNumber"), "stay": any("PolicyNumber"),
    ]
}
