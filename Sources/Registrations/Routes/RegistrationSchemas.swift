import Comparison
import Core
import Model
import Reconciler
import Registry
import Routing

extension Schemas {
    /// Schemas of the registrations on phones, and of what their apps report.
    static let health: [Named] = [
        named(HealthDocument.output), named(Finding.output), named(ReportedTransitions.output), named(GeofenceStanding.output),
        ("HealthPage", page("devices", of: "Health", optional: ["totals": any(Queries.HealthTotals.output.name)])),
        (
            "HealthChange",
            object(
                "The health of a device's registrations from a time on",
                [
                    "deviceId": text("The device"), "at": time("When the health was determined"),
                    "isHealthy": nullable(flag("Whether the registrations are right; null when that was not known")),
                    "statusSummary": text("The health in one sentence"),
                ])
        ),
        (
            "HealthChanges",
            object("Recorded changes of health", ["changes": list("The changes, newest first", of: any("HealthChange"))])
        ),
        named(Queries.HealthTotals.output), named(RepairOutcome.output), named(RepairOutcome.Step.output),
        named(ReconciledState.output), ("RepairPage", page("repairs", of: "RepairReport")), named(Region.output),
        named(RegisteredRegions.output), named(RegisteredRegions.RegionRow.output), named(RegistryAnswer.output),
        named(RegistryOperation.output), named(Region.wantedOutput),
        named(AppObservation.output), named(ObservationAnswer.output), named(ComparisonReport.shape),
        named(GeofenceComparison.shape), named(ComparedTransition.shape), named(ComparedTransition.Evidence.shape),
        named(AppLogRemarks.shape), named(AppLogRemarks.UnknownIdentifier.shape), named(ClockSkew.shape),
        (
            "Observations",
            object(
                "The log of an app; also as a list alone",
                ["observations": ["type": "array", "items": any("Observation")]])
        ),
        (
            "RegistryReport",
            object(
                "The regions that an app's operating system watches, as the app reports them",
                [
                    "regions": ["type": "array", "items": any("Region")],
                    "authorizationStatus": oneOf("The authorization that the person has given", Authorization.self),
                ],
                optional: [
                    "locationServicesEnabled": flag("Whether location is switched on; true when omitted"),
                    "preciseLocation": flag("Whether the app may know the precise location; true when omitted"),
                    "backgroundRefresh": flag("On iOS: whether the app may run in the background"),
                    "batteryOptimized": flag("On Android: whether the app is restricted to save battery"),
                    "limit": integer("The maximum number of regions of the app; the platform's when omitted or greater"),
                    "reportedAt": time("When the app read its regions, at most 10 minutes ahead; now when omitted"),
                    "platform": oneOf(
                        "The phone's system, which is needed to create an unknown device. It can also be derived from backgroundRefresh or batteryOptimized",
                        Device.Platform.self),
                    "identifierPrefix": text(
                        "The prefix of the app's region identifiers, before a geofence's id. picket/ when neither this nor "
                            + "identifiers was ever sent. A report with neither of them keeps those of the previous report"),
                    "identifiers": [
                        "type": "object", "additionalProperties": text("The app's identifier of the geofence's region"),
                        "description":
                            "The app's region identifier for each geofence id, and for #sentinel. Others have the prefix",
                    ],
                    "failures": list(
                        "The last failure of each region whose registration failed, by an error of the call or after it",
                        of: object(
                            "A failure",
                            [
                                "identifier": text("The region's identifier"),
                                "code": text("Such as kCLErrorRegionMonitoringFailure"),
                            ],
                            optional: ["number": integer("The vendor's number of the error")])),
                ])
        ),
    ]

    /// Schemas of the keys of OwnTracks apps.
    static let ownTracksKeys: [Named] = [
        (
            "OwnTracksKey",
            object("The key of an OwnTracks app", ["key": text("1 to 32 bytes of UTF-8, as in the app's settings")])
        ),
        (
            "OwnTracksKeyState",
            object(
                "Whether a device has a key for its encrypted messages",
                ["deviceId": text("The device's id"), "hasOwnTracksKey": flag("Whether there is a key")])
        ),
    ]
}
