import Model
import Routing

extension Schemas {
    /// Schemas of tracks and of the removal of positions.
    static let tracks: [Named] = [
        named(Fix.storedOutput), ("TrackPage", page("fixes", of: "TrackPoint")), named(PositionRemoval.shape),
        named(Stop.shape), named(StopList.shape),
    ]

    /// Schemas of explanations.
    static let explanations: [Named] = [
        named(Explanation.output), named(Explanation.Step.output), named(Explanation.PolicyParameter.output),
        named(ExplanationRemedy.output),
        named(Explanation.PolicyParameter.listOutput),
    ]

    /// Schemas of replays.
    static let replays: [Named] = [
        (
            "ReplayRequest",
            object(
                "The positions to evaluate again", [:],
                optional: [
                    "deviceId": text("The id of the device; all devices when omitted"),
                    "since": time("From the last checkpoint before this time; from the first position when omitted"),
                    "geofences": list(
                        "The ids of geofences that apply to the past as they are now; default: the geofences of that time",
                        of: ["type": "string"]),
                    "all": flag("All active geofences apply to the past as they are now"),
                    "deleted": flag("With geofences or all: also retract the events of removed and inactive geofences"),
                    "apply": flag("With geofences or all: false to return what would change, and write nothing"),
                ])
        ),
        ("SupposedEvent", anyObject("An event that is not recorded: without id, sequence and recordedAt")),
        named(PastFinding.shape), named(PastFinding.Change.shape), named(PastFinding.Example.shape),
        named(ReplayAnswer.shape),
    ]
}
