import Core
import Ingest
import Model
import OwnTracks
import Reconciler
import Registry
import Store

// The registrations of phones whose registry is their OwnTracks app: the app's reports, and the health that follows from them.

extension Queries {
    /// The region of a `transition` message; nil if the region is not Picket's.
    func region(of transition: JSONValue, _ platform: Device.Platform) throws(Problem) -> RegionID? {
        if platform == .ios { return transition["rid"]?.string.map { RegionID($0) }.flatMap { $0.isOurs ? $0 : nil } }
        guard let time = transition["wtst"]?.double.flatMap({ Int(exactly: $0.rounded()) }),
            let number = WaypointNumber.number(ofWaypointTime: time)
        else { return nil }
        return try store.region(ofWaypoint: number)
    }

    // MARK: - Health

    /// The last report of a device's app.
    func ownTracksReport(of device: DeviceKey) throws(Problem) -> OwnTracksReport {
        try store.report(of: device).map { OwnTracksReport(json: $0.report) } ?? OwnTracksReport()
    }

    /// The geofences as candidates, as the OwnTracks app of a platform watches them.
    func ownTracksCandidates(_ platform: Device.Platform) throws(Problem) -> RegionCandidates {
        try candidates(for: platform).with(.ownTracks(platform))
    }

    /// The registry of a device as its OwnTracks app last reported it, and the context for its assessment.
    func ownTracksRegistry(
        of stored: PicketStore.StoredDevice, _ platform: Device.Platform
    ) throws(Problem) -> (registry: any RecordedRegistry, context: DeviceContext) {
        guard let (report, context, listedAt) = try waypointReport(of: stored, platform) else {
            return (ReportedRegistry(.ownTracks(platform)), try context(of: stored))
        }
        let reading = RegistryReading(report.snapshot, reportedAt: listedAt)
        return (ReportedRegistry(.ownTracks(platform), last: reading), context)
    }

    /// The newest list of a device's app with the context for its assessment; nil before the first list.
    func waypointReport(
        of stored: PicketStore.StoredDevice, _ platform: Device.Platform
    ) throws(Problem) -> (report: WaypointReport, context: DeviceContext, listedAt: Instant)? {
        let report = try ownTracksReport(of: stored.key)
        guard let waypoints = report.waypoints, let listedAt = report.listedAt else { return nil }
        let list = WaypointList(waypoints)
        let entries = try list.entries(platform) { number throws(Problem) in try store.region(ofWaypoint: number) }
        var context = try context(of: stored)
        var states: [RegionID: RegionState] = [:]
        if let newest = context.fix {
            let points = try store.track(
                of: stored.key, since: newest.time + -Self.recent, until: newest.time + 0.001, after: nil, limit: 1000)
            let valid = points.filter(\.isValid)
            if let last = valid.last, last.fix.time == newest.time { context.fixes = valid.map(\.fix) }
            if platform == .ios { states = Self.states(of: entries, valid) }
        }
        let moment = min(max(listedAt, context.fix?.time ?? listedAt), clock.now())
        return (
            WaypointReport(
                all: list.waypoints, entries: entries, snapshot: report.snapshot(entries, states: states, at: moment)),
            context, listedAt
        )
    }

    /// A request for an app's list.
    struct ListQuestion: Sendable {
        var device: String
        var commands: [JSONValue]
        /// Whether a repair was interrupted while it sent the list, so that it has to continue.
        var isUnfinished: Bool
    }

    /// Requests for the lists of apps that have not sent one for an hour, or whose list a repair was sending.
    func overdueLists() throws(Problem) -> [ListQuestion] {
        var questions: [ListQuestion] = []
        for stored in try store.ownTracksDevices(reportedBefore: clock.now() + -3600) {
            questions.append(
                ListQuestion(
                    device: stored.device.id, commands: try seal([OwnTracksCommand.waypoints], for: stored.key),
                    isUnfinished: try store.unfinishedWaypoints(of: stored.key) != nil))
        }
        return questions
    }

    /// Seconds of a device's track that are used to determine whether its operating system watches the regions.
    private static let recent = 900.0

    /// The states of the regions according to `inrids` of the newest position. The app omits `inrids` if it is inside no region, so the
    /// other positions show whether the app sends it at all.
    private static func states(
        of entries: [WaypointList.Entry], _ points: [PicketStore.TrackPoint]
    ) -> [RegionID: RegionState] {
        guard points.contains(where: { $0.attributes?["inrids"] != nil }), let newest = points.last else { return [:] }
        let inside = Set((newest.attributes?["inrids"]?.array ?? []).compactMap(\.string))
        var states: [RegionID: RegionState] = [:]
        for entry in entries where entry.id.isOurs {
            states[entry.id] = entry.waypoint.rid.map(inside.contains) ?? false ? .inside : .outside
        }
        return states
    }
}

extension ServiceWriter {
    /// Processes what OwnTracks apps report about their regions: lists, permissions, enters and exits. Messages of devices with another
    /// registry are ignored.
    func processRegistrations(_ messages: [OwnTracksMessage]) throws(Problem) {
        for message in messages {
            guard let kind = message.kind, [.waypoints, .status, .transition].contains(kind), let id = message.device,
                let stored = try store.device(id: id), stored.device.registry == .owntracks,
                let platform = stored.device.platform
            else { continue }
            let json: JSONValue
            do throws(JSONParser.Failure) {
                json = try JSONParser.parse(message.json)
            } catch {
                throw .unknown(
                    details: .saying(Phrase("a stored message of '\(id)' cannot be read"), String(describing: error.reason)))
            }
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                switch kind {
                case .waypoints: try storeWaypoints(json["waypoints"]?.array ?? [], of: stored, in: transaction)
                case .status: try storeStatus(json, of: stored, in: transaction)
                default: try recordTransition(json, at: message.time, of: stored, platform, in: transaction)
                }
            }
        }
    }

    private func storeWaypoints(
        _ waypoints: [JSONValue], of stored: PicketStore.StoredDevice, in transaction: borrowing Transaction
    ) throws(Problem) {
        let now = clock.now()
        var report = try ownTracksReport(of: stored.key)
        report.waypoints = waypoints
        report.listedAt = now
        try store.save(report: report.json, of: stored.key, at: now, in: transaction)
        let status = try health(of: stored.device).status
        try record(status, .observation, at: now, in: transaction)
        if stored.device.autoRepair, status.isHealthy == false { repairHints.failedOrLeftSentinel.insert(stored.device.id) }
    }

    private func storeStatus(
        _ message: JSONValue, of stored: PicketStore.StoredDevice, in transaction: borrowing Transaction
    ) throws(Problem) {
        var report = try ownTracksReport(of: stored.key)
        guard report.storeStatus(message) else { return }
        let now = clock.now()
        try store.save(report: report.json, of: stored.key, at: report.listedAt ?? now, in: transaction)
        try record(try health(of: stored.device).status, .observation, at: now, in: transaction)
    }

    private func recordTransition(
        _ transition: JSONValue, at time: Instant?, of stored: PicketStore.StoredDevice, _ platform: Device.Platform,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        guard let region = try region(of: transition, platform), let isEnter = transition.isEnter else { return }
        let moment = min(time ?? clock.now(), clock.now())
        // Transitions may arrive late and out of order.
        if let reported = try usableJournal(of: stored, in: transaction).reportedStates[region], reported.at > moment { return }
        try recordReports(
            [RegistryReport(region: region, kind: isEnter ? .entered : .exited, at: moment)], of: stored, in: transaction)
    }
}

extension JSONValue {
    /// Whether a `transition` message is an enter; nil if it is neither an enter nor an exit.
    var isEnter: Bool? {
        switch self["event"]?.string {
        case "enter": true
        case "leave": false
        default: nil
        }
    }
}
