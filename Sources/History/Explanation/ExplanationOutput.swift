import Model
import Monitor

extension Explanation: JSONWritable {
    package static let output = JSONOutput<Explanation>(
        "Explanation",
        summary:
            "Why something happened between a device and a geofence, or why not; with the visit that contains the moment, the "
            + "last visit that ended before it and the first that began after it",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.device.id),
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofence.id),
        .init("geofenceName", kind: .text, summary: "The geofence's name", content: \.geofence.name),
        .init("at", optional: .time, summary: "The time; omitted when the device has no position", content: \.at),
        .init("answer", kind: .text, summary: "Whether the device was inside at the moment, and why, in one sentence") {
            $0.answer.words(in: $1.language, zone: $1.zone)
        },
        .init("visit", optional: .object, content: \.visits.current),
        .init("visitBefore", optional: .object, content: \.visits.before),
        .init("visitAfter", optional: .object, content: \.visits.after),
        .init(
            "steps", kind: .list(of: .object), summary: "The positions around the moment, and what happened between them",
            content: \.steps),
        .init(
            "events", kind: .list(of: .event),
            summary: "The events in the period of the steps, the last event before it and the first event after it",
            content: \.events),
        .init(
            "policy", kind: .object(of: PolicyParameter.listOutput), summary: "The parameters that were in force",
            content: \.policy),
        .init("remarks", optional: .list(of: .text), summary: "Why the explanation may differ from what was decided at the time")
        {
            explanation, locale in
            let remarks = explanation.remarks.map { $0.words(in: locale.language, zone: locale.zone) }
            return remarks.isEmpty ? nil : remarks
        },
        .init(
            "remedies", optional: .list(of: .object),
            summary: "The smallest single change that would have led to another decision; omitted when none is found",
            content: { $0.remedies.isEmpty ? nil : $0.remedies }))
}

extension Explanation.Step: JSONWritable {
    static let output = JSONOutput<Explanation.Step>(
        "ExplanationStep", summary: "A position, or something that happened between two positions",
        .init("timestamp", kind: .time, summary: "When it happened", content: \.at),
        .init("latitude", optional: .number, summary: "Degrees", content: \.fix?.coordinate.latitude),
        .init("longitude", optional: .number, summary: "Degrees", content: \.fix?.coordinate.longitude),
        .init("accuracy", optional: .number, summary: "Radius in meters, 68 %", content: \.fix?.accuracy),
        .init("distance", optional: .number, summary: "Meters to the geofence's boundary, negative inside", content: \.distance),
        .init("counted", optional: .number, summary: "The part of the accuracy that is used, in meters") {
            $0.measurement.map { meters($0.countedAccuracy) }
        },
        .init("margin", optional: .number, summary: "Meters beyond the boundary from which a position is outside") {
            $0.measurement.map { meters($0.exitMargin) }
        },
        .init("reading", optional: .word, summary: "What the position alone shows", content: \.measurement?.containment),
        .init("before", optional: .word, summary: "The state before the step; omitted when there was none", content: \.before),
        .init("after", optional: .word, summary: "The state after the step; omitted when there was none", content: \.after),
        .init("rule", kind: .word, summary: "The criterion that applied", content: \.criterion),
        .init("because", kind: .text, summary: "The criterion in words") { $0.because.words(in: $1.language, zone: $1.zone) })

    private var distance: Double? {
        guard let distance = measurement?.distance, distance.isFinite else { return nil }
        return Self.meters(distance)
    }

    /// A length in meters, rounded to millimeters.
    private static func meters(_ length: Double) -> Double { (length * 1000).rounded() / 1000 }
}

extension Explanation.PolicyParameter: JSONWritable {
    package static let output = JSONOutput<Explanation.PolicyParameter>(
        "PolicyNumber", summary: "A parameter of the policy, and where its value comes from",
        .init("value", kind: .limit("none"), summary: "The value; none: no limit", content: \.value),
        .init("unit", kind: .text, summary: "m, m/s, s or deviations; empty for a count", content: \.unit),
        .init(
            "from", kind: .word, summary: "The geofence has precedence over the device, and the device over the store",
            content: \.source))

    /// The parameters by name.
    static let listOutput = JSONOutput<[Explanation.PolicyParameter]>(
        "PolicyNumbers", summary: "The parameters of the policy that were in force",
        parameter("accuracyCap"), parameter("maxAccuracy"), parameter("exitMargin"), parameter("confirmFixes"),
        parameter("confirmSeconds"), parameter("maxSpeed"), parameter("crossing"), parameter("stay"))

    private static func parameter(_ name: String) -> JSONOutputMember<[Explanation.PolicyParameter]> {
        .init(name, optional: .object) { parameters in parameters.first { $0.name == name } }
    }
}
