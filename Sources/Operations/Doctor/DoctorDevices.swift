import Core
import Model
import Places
import Presence
import Store

extension Doctor {
    /// Refused input is reported for this many seconds after it came.
    private static let refusalAge = 7 * 86_400.0
    /// A phone has this many seconds after its token was created to send its first position. After that, the missing position is
    /// reported.
    private static let setupTime = 86_400.0
    /// A position that is at least this many seconds ahead of the clock comes from a wrong clock.
    private static let clockTolerance = 60.0

    /// Checks which devices do not report, and what they report that cannot be used.
    func checkDevices(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        var findings: [DoctorFinding] = []
        let inSetup = Set(
            try queries.tokens().filter { $0.role == .ingest && now - $0.createdAt < Self.setupTime }
                .flatMap { $0.scope?.devices ?? [] })
        for status in try queries.deviceStatuses(deviceId: nil, geofenceId: nil, counting: false) {
            let id = status.device.id
            guard let newest = status.newest else {
                if !inSetup.contains(id) { findings.append(.neverReported(device: id)) }
                continue
            }
            // The time of the newest position is meaningless if the clock of the device is behind.
            let hasClockBehind = try queries.store.problem(ofSource: Queries.DeviceProblem.clockBehind.source(of: id)) != nil
            if newest.time - now > Self.clockTolerance {
                findings.append(.clockAhead(device: id, seconds: newest.time - now))
            }
            let since =
                if let since = status.silentSince {
                    Optional(since)
                } else {
                    try silence(of: status.device, queries, hasClockBehind: hasClockBehind)
                }
            if let since { findings.append(.silent(device: id, since: since)) }
        }
        for refused in try recentRefusals(queries) {
            findings.append(
                .refusedInput(
                    device: refused.device, field: refused.field, reason: refused.reason, count: refused.count,
                    lastAt: refused.lastAt))
        }
        return findings
    }

    /// When a device was last heard from, if that is longer ago than its `silentAfter`. While no service runs, nothing else
    /// notices.
    private func silence(of device: Device, _ queries: Queries, hasClockBehind: Bool) throws(Problem) -> Instant? {
        let state = try queries.store.state(of: queries.storedDevice(id: device.id), policy: queries.policy)
        guard let lastHeard = state.lastHeard else { return nil }
        let heard = hasClockBehind ? lastHeard + state.lag : lastHeard
        return now - heard > device.silentAfter ? heard : nil
    }

    /// The counters of unusable input of the last days.
    func recentRefusals(_ queries: Queries) throws(Problem) -> [Queries.RefusedInput] {
        try queries.store.refusedInput(since: now + -Self.refusalAge, limit: 1000)
    }
}
