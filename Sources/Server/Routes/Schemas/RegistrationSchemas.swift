import Model
import Reconciler
import Registry
import Service

extension Schemas {
    private static let regionFields: KeyValuePairs<String, JSONValue> = [
        "identifier": text("As the system has it; ours begin with picket/"), "latitude": number("Degrees"),
        "longitude": number("Degrees"), "radius": number("Meters"),
    ]

    private static let notifications: KeyValuePairs<String, JSONValue> = [
        "notifyOnEntry": flag("As a rule true"), "notifyOnExit": flag("As a rule true"),
    ]

    private static let registeredRegion = object(
        "A region that a system watches, and what is to be said of it", regionFields,
        optional: [
            "name": text("Of the geofence"), "cause": text("Why it is wrong or unwanted, in words"),
        ],
        more: [
            "notifyOnEntry": flag("As a rule true"), "notifyOnExit": flag("As a rule true"),
            "foreign": flag("Whether it is another's: never touched"),
            "verdict": oneOf("Whether it is as it should be", RegisteredRegions.RegionStatus.self),
            "state": oneOf("Where the system believes the device to be", RegionState.self),
        ])

    private static let finding = object(
        "Something noteworthy",
        [
            "finding": oneOf("What", Finding.Kind.self), "geofenceId": nullable(text("Which")),
            "name": nullable(text("For people")),
            "cause": text("Why, in words"), "recoveryAction": oneOf("What a person can do", Problem.RecoveryAction.self),
        ])

    private static let step = object(
        "A call and what came of it",
        [
            "operation": text("start, stop or requestState"), "identifier": text("Which region"), "name": text("For people"),
            "reason": text("Why"), "outcome": oneOf("What came of it", RepairReport.Step.Outcome.self),
        ], optional: ["error": text("What the system said")])

    static let registrations: [Named] = [
        (
            "Health",
            object(
                "Whether a phone's system watches what it should",
                [
                    "deviceId": text("Whose"), "platform": nullable(oneOf("Its platform", Device.Platform.self)),
                    "registry": oneOf("Where its registrations are", Device.Registry.self),
                    "registeredWithOS": words, "savedInApp": words, "savedCount": integer("Active geofences for it"),
                    "missingFromOS": words, "orphanedInOS": words,
                    "authorizationStatus": nullable(oneOf("What the person allows", Authorization.self)),
                    "locationServicesEnabled": nullable(flag("Whether location is on")),
                    "isHealthy": nullable(flag("Null when nobody knows")), "statusSummary": text("One sentence"),
                    "overBudgetCount": integer("Left out because the slots are few"),
                    "atRiskCount": integer("Of these, those that no choice can guarantee"),
                    "lacksFix": flag("It was judged without a position"), "findings": list("The worst first", of: finding),
                ],
                optional: [
                    "reportedAt": time("When its app last reported its regions"),
                    "isStale": flag("Whether that is too long ago to say how it is now"),
                    "reported": list(
                        "How many enters and exits its OwnTracks app reported too, in 30 days; of one device alone",
                        of: object(
                            "One",
                            [
                                "geofenceId": text("Of which geofence"), "name": text("Its name"),
                                "events": integer("So many happened since the app has the region"),
                                "reported": integer("So many of them the app reported"),
                            ])),
                    "standings": list(
                        "Why each geofence is or is not registered",
                        of: object(
                            "One",
                            [
                                "geofenceId": text("Which"), "isRegistered": flag("Whether the system watches it now"),
                                "standing": text("Why, in words"),
                            ], optional: ["name": text("Its name")])),
                ])
        ),
        (
            "HealthPage",
            page(
                "devices", of: "Health",
                optional: [
                    "totals": object(
                        "How many devices are how healthy",
                        [
                            "healthy": integer("Healthy"), "unhealthy": integer("Unhealthy"),
                            "unknown": integer("Gave no answer"),
                            "stale": integer("Their apps have reported nothing for too long"),
                            "notManaged": integer("Without a registry"),
                        ])
                ])
        ),
        (
            "RepairReport",
            object(
                "What a repair found, did and left",
                [
                    "deviceId": text("Whose"), "startedAt": time("From"), "finishedAt": time("To"), "before": any("Health"),
                    "operations": list("In order", of: step), "after": any("Health"), "calls": integer("Calls that were made"),
                    "left": list("What is still wrong", of: finding),
                ],
                optional: [
                    "needsFix": flag("Whether a position of the device is needed first"),
                    "problem": any("ProblemWords"),
                    "reconciled": list(
                        "What the system knew better than the last position",
                        of: object(
                            "One", ["geofenceId": text("Which"), "state": oneOf("What", RegionState.self), "at": time("When")])),
                ])
        ),
        ("RepairPage", page("repairs", of: "RepairReport")),
        ("Region", object("A region that a system watches", regionFields, optional: notifications)),
        (
            "Registry",
            object(
                "What a device's system holds",
                [
                    "deviceId": text("Whose"), "platform": oneOf("Its platform", Device.Platform.self),
                    "limit": integer("The most regions that the platform watches"),
                    "authorizationStatus": oneOf("What the person allows", Authorization.self),
                    "locationServicesEnabled": flag("Whether location is on"),
                    "preciseLocation": flag("Whether the app may know the precise location"),
                    "isListed": flag("Whether the system named its regions; else they are those that should be there"),
                    "regions": list("Ours by identifier, then foreign ones", of: registeredRegion),
                ], optional: ["backgroundRefresh": flag("iOS"), "batteryOptimized": flag("Android")])
        ),
        (
            "SimulatedAction",
            object(
                "Something that happens to a simulated phone; each action takes the members that it needs",
                ["action": oneOf("What happens", SimulatedAction.Name.self)],
                optional: [
                    "count": integer("drop: so many of our regions are lost, picked by the phone's seed; 1 when nothing is said"),
                    "identifiers": words, "identifier": text("addOrphan, addForeign, fail: which region"),
                    "latitude": number("addOrphan, addForeign: degrees"), "longitude": number("addOrphan, addForeign: degrees"),
                    "radius": number("addOrphan, addForeign: meters"),
                    "status": oneOf("authorize: what the person allows", Authorization.self),
                    "enabled": flag("location: whether it is on"),
                    "setting": text("set: precise, background, battery, reboot-policy, update-policy or permission-policy"),
                    "value": text("set: on or off, or the name of a policy"),
                    "fault": oneOf("fail: what goes wrong, now or with the next call of its kind", SimulatedFault.Name.self),
                    "metres": number("fail with drift"), "code": text("fail with refuse: the vendor's number or name"),
                    "seconds": number("fail with delayReport"),
                ])
        ),
        (
            "RegistryReport",
            object(
                "What an app knows of the regions that its system watches",
                [
                    "regions": ["type": "array", "items": any("Region")],
                    "authorizationStatus": oneOf("What the person allows", Authorization.self),
                ],
                optional: [
                    "locationServicesEnabled": flag("As a rule true"), "preciseLocation": flag("As a rule true"),
                    "backgroundRefresh": flag("iOS"), "batteryOptimized": flag("Android"),
                    "limit": integer("The most regions that the app may have, when not the platform's"),
                    "reportedAt": time("When the app looked, when not just now"),
                    "failures": list(
                        "The last failure of each region that failed late",
                        of: object(
                            "One", ["identifier": text("Which"), "code": text("As kCLErrorRegionMonitoringFailure")],
                            optional: ["number": integer("The vendor's")])),
                ])
        ),
        (
            "RegistryAnswer",
            object(
                "How healthy that is, and the calls that set it right",
                [
                    "health": any("Health"),
                    "operations": list(
                        "In order",
                        of: object(
                            "A call",
                            [
                                "operation": text("start or stop"), "identifier": text("As the system has it"),
                                "name": text("For people"), "reason": text("Why"),
                            ], optional: ["region": any("WantedRegion")])),
                ])
        ),
        (
            "WantedRegion",
            object(
                "A region to watch",
                [
                    "identifier": text("As the system has it"), "latitude": number("Degrees"), "longitude": number("Degrees"),
                    "radius": number("Meters"), "notifyOnEntry": flag("Whether"), "notifyOnExit": flag("Whether"),
                    "initialTrigger": words,
                ])
        ),
    ]
}
