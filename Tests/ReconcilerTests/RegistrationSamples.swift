import Model
import Reconciler
import Registry

/// One value or more of each case that has words. `place` is exhaustive: a case without a place does not compile, and one without a
/// sample fails `RegistrationCatalogTests`.
enum RegistrationSamples {
    static let summaries: [HealthSummary] = [
        .notManaged, .unknown(lastReported: nil), .unknown(lastReported: Instant(milliseconds: 1_777_000_000_000)),
        .locationServicesDisabled, .needsAlwaysAuthorization, .notRegistered(count: 1, system: "iOS"),
        .notRegistered(count: 3, system: "Android"), .orphaned(count: 1, system: "iOS"), .misregistered(count: 2, system: "iOS"),
        .preciseLocationOff, .backgroundRefreshOff, .batteryOptimized, .noActiveGeofences, .healthy,
    ]

    static func place(_ summary: HealthSummary) -> Int {
        switch summary {
        case .notManaged: 0
        case .unknown: 1
        case .locationServicesDisabled: 2
        case .needsAlwaysAuthorization: 3
        case .notRegistered: 4
        case .orphaned: 5
        case .misregistered: 6
        case .preciseLocationOff: 7
        case .backgroundRefreshOff: 8
        case .batteryOptimized: 9
        case .noActiveGeofences: 10
        case .healthy: 11
        }
    }

    static let causes: [Finding.Cause] = single + dropped + contradicted + unauthorized

    private static let single: [Finding.Cause] = [
        .notListed, .mayHaveBeenDropped(nil), .interrupted, .refused(RegistryError(.regionMonitoringFailure)), .fenceRemoved,
        .fenceInactive, .fenceNotForDevice, .otherCenter(distance: 1234), .otherRadius(registered: 80, needed: 99.5),
        .sentinelLeft,
        .sentinelGuardsTooLittle, .withoutEntry, .withoutExit, .locationOff, .imprecise, .noBackgroundRefresh, .batteryOptimized,
        .fartherThanChosen(distance: 4.24), .fartherThanChosen(distance: nil), .lowerPriority, .sentinelNotNeeded, .otherSDK,
        .belowReliableRadius(radius: 30), .tooLarge(radius: 200_000), .watchedByEnclosingCircle, .malformed, .tooManyNearby,
        .noSlots,
        .coarseFix(accuracy: .infinity),
    ]

    private static let dropped = RegistrySnapshot.Disruption.allCases.map { Finding.Cause.mayHaveBeenDropped($0) }
    private static let contradicted = RegionState.allCases.map { Finding.Cause.stateContradicted(byFixes: $0, reported: $0) }
    private static let unauthorized = Authorization.allCases.map { Finding.Cause.authorization($0) }

    static func place(_ cause: Finding.Cause) -> Int {
        switch cause {
        case .notListed: 0
        case .mayHaveBeenDropped: 1
        case .interrupted: 2
        case .refused: 3
        case .fenceRemoved: 4
        case .fenceInactive: 5
        case .fenceNotForDevice: 6
        case .otherCenter: 7
        case .otherRadius: 8
        case .sentinelLeft: 9
        case .sentinelGuardsTooLittle: 10
        case .withoutEntry: 11
        case .withoutExit: 12
        case .stateContradicted: 13
        case .locationOff: 14
        case .authorization: 15
        case .imprecise: 16
        case .noBackgroundRefresh: 17
        case .batteryOptimized: 18
        case .fartherThanChosen: 19
        case .lowerPriority: 20
        case .sentinelNotNeeded: 21
        case .otherSDK: 22
        case .belowReliableRadius: 23
        case .tooLarge: 24
        case .watchedByEnclosingCircle: 25
        case .malformed: 26
        case .tooManyNearby: 27
        case .noSlots: 28
        case .coarseFix: 29
        }
    }

    static let reasons: [RegistryOperation.Reason] =
        causes.map { .finding(.drifted, $0) } + [.guardsLeftOutFences, .stateUnknown, .finding(.missing, .notListed)]

    static func place(_ reason: RegistryOperation.Reason) -> Int {
        switch reason {
        case .finding: 0
        case .guardsLeftOutFences: 1
        case .stateUnknown: 2
        }
    }

    static let choices: [RegionSelection.Reason] = [.everythingFits, .pinned, .near(120), .stays(80), .crowded(2000), .priority]

    static func place(_ choice: RegionSelection.Reason) -> Int {
        switch choice {
        case .everythingFits: 0
        case .pinned: 1
        case .near: 2
        case .stays: 3
        case .crowded: 4
        case .priority: 5
        }
    }

    static let standings = chosen + leftOut + others

    private static let chosen: [RegistrationReason] = choices.flatMap { reason -> [RegistrationReason] in
        [.chosen(reason, isRegistered: true), .chosen(reason, isRegistered: false)]
    }

    private static let leftOut: [RegistrationReason] = [
        .leftOut(distance: nil, isGuarded: true), .leftOut(distance: nil, isGuarded: false),
        .leftOut(distance: 900, isGuarded: true), .leftOut(distance: 900, isGuarded: false),
    ]

    private static let others: [RegistrationReason] = [
        .unwatchable(.malformed, radius: 1), .unwatchable(.tooLarge, radius: 200_000), .inactive, .forOthers, .unknown,
    ]

    static func place(_ standing: RegistrationReason) -> Int {
        switch standing {
        case .chosen: 0
        case .leftOut: 1
        case .unwatchable: 2
        case .inactive: 3
        case .forOthers: 4
        case .unknown: 5
        }
    }
}
