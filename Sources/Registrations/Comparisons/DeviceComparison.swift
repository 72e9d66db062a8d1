import Comparison
import Core
import Coverage
import Model
import Places
import Presence
import Registry
import Store

extension Queries {
    /// Compares the stored observations of a device's app with the positions on record, by the geofences as they are now.
    ///
    /// - Throws: `Problem.notFound` if the device is unknown, `Problem.validationFailed` if the period has too many positions or
    ///   observations.
    func comparison(_ question: ComparisonQuestion) throws(Problem) -> ComparisonReport {
        try store.snapshot { () throws(Problem) in
            let stored = try storedDevice(id: question.deviceId)
            var device = stored.device
            let platform = device.platform ?? .ios
            device.platform = platform
            var options = AppLogComparison.Options(
                PlatformProfile(platform), names: question.names, maxDelay: question.maxDelay, skew: question.skew)
            var snapshot: AppLogComparison.Snapshot?
            if let (json, at) = try store.report(of: stored.key) {
                let report = try AppRegionList(json: json, at: at)
                if let limit = report.limit { options.profile.limit = min(limit, options.profile.limit) }
                snapshot = AppLogComparison.Snapshot(report.snapshot, hasTime: true)
            }
            var geofences: [Geofence] = []
            try forEachGeofence(matching: nil) { if $0.isActive { geofences.append($0) } }
            return AppLogComparison.report(
                of: AppLog(try observations(of: stored.key, question)), along: try fixes(of: stored.key, question), of: device,
                geofences: geofences, snapshot: snapshot, options: options)
        }
    }

    private func fixes(of device: DeviceKey, _ question: ComparisonQuestion) throws(Problem) -> [Fix] {
        let most = ComparisonQuestion.mostFixes
        let points = try store.track(
            of: device, since: question.since, until: question.until, after: nil, limit: most + 1)
        guard points.count <= most else { throw Self.tooMany("positions", most) }
        return points.filter(\.isValid).map(\.fix)
    }

    /// The observations of a period, with what was known about the phone's state before it.
    private func observations(of device: DeviceKey, _ question: ComparisonQuestion) throws(Problem) -> [AppObservation] {
        // The times of the log may come from a clock that is ahead or behind.
        let slack: Double
        switch question.skew {
        case .automatic: slack = ClockSkew.longest
        case .by(let seconds): slack = seconds.magnitude
        }
        let start = question.since + -slack
        let end = question.until + (slack + question.maxDelay + FullyRegisteredPhone.patience)
        let states: [AppObservation.Kind] = [.regions, .authorization, .locationServices]
        var found = try store.lastObservations(of: device, types: states.map(\.rawValue), before: start)
        try store.forEachObservation(of: device, from: start, to: end) { json throws(Problem) in
            found.append(json)
            if found.count > ComparisonQuestion.mostObservations {
                throw Self.tooMany("observations", ComparisonQuestion.mostObservations)
            }
        }
        return try found.map { json throws(Problem) in try AppObservation(json: json) }
    }

    private static func tooMany(_ what: String, _ most: Int) -> Problem {
        .validationFailed(field: what, value: "", reason: .moreThan(most), expected: .atMost(most))
    }
}
