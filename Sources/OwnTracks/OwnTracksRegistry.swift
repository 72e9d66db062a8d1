import Model
import Registry

/// The waypoints of a phone's OwnTracks app as its registry: what the app lists, it has the system watch.
///
/// Additions and removals are gathered, and sent together when the registry is read next: nothing acknowledges them but the list that
/// the app publishes then.
///
/// On Android the app cannot remove a single waypoint. There the whole list is cleared and set again without those that are to go, the
/// person's own included. The list to set is kept on disk before, so that a crash in between costs nobody a waypoint.
public actor OwnTracksRegistry: RegionRegistry, RegistryClock {
    public nonisolated let profile: PlatformProfile
    private let phone: any WaypointPhone
    private let clock: @Sendable () -> Instant
    /// As the app listed them last.
    private var listed: [WaypointList.Entry] = []
    private var started: [RegionID: Region] = [:]
    private var stopped: Set<RegionID> = []
    /// A list that has just come, to be read first.
    private var known: WaypointReport?
    /// Whether the app has left something unanswered. Then nobody waits for it again.
    public private(set) var isSilent = false

    /// - Parameter known: What the app has sent a moment ago, so that it need not be asked for the first reading.
    public init(
        _ platform: Device.Platform, phone: any WaypointPhone, known: WaypointReport? = nil,
        clock: @escaping @Sendable () -> Instant
    ) {
        profile = .ownTracks(platform)
        self.known = known
        self.phone = phone
        self.clock = clock
    }

    // MARK: - Time

    public var now: Instant { clock() }

    public func sleep(until deadline: Instant) async throws {
        if !isSilent { try await Task.sleep(for: .seconds(max(0, deadline - clock()))) }
    }

    // MARK: - Calls

    public func startMonitoring(_ region: Region) {
        started[region.id] = region
        stopped.remove(region.id)
    }

    public func stopMonitoring(_ id: RegionID) {
        started[id] = nil
        stopped.insert(id)
    }

    public func requestState(_ id: RegionID) throws(RegistryError) -> RegionState { throw RegistryError(.unsupported) }

    /// What the app tells comes with its messages.
    public var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }

    /// Sends what was gathered, and reads the list.
    public func snapshot() async throws(RegistryError) -> RegistrySnapshot {
        guard !isSilent else { throw RegistryError(.unavailable) }
        do throws(RegistryError) {
            if let list = try await phone.unfinishedList() {
                known = nil
                try await finish(list, try await phone.list(after: []))
            }
            let additions = try await additions()
            let removed = listed.filter { stopped.contains($0.id) }
            let report: WaypointReport
            if let known {
                report = known
                self.known = nil
            } else if profile.platform == .android, !removed.isEmpty {
                report = try await rewrite(without: removed, additions)
            } else {
                let changes = removed.map(\.waypoint.removal) + additions
                report = try await phone.list(after: changes.isEmpty ? [] : [OwnTracksCommand.setWaypoints(changes)])
            }
            listed = report.entries
            started = [:]
            stopped = []
            return report.snapshot
        } catch {
            isSilent = true
            throw error
        }
    }

    private func additions() async throws(RegistryError) -> [JSONValue] {
        var additions: [JSONValue] = []
        for region in started.values.sorted(by: { $0.id < $1.id }) {
            let label = try await phone.label(of: region.id)
            additions.append(
                Waypoint.json(of: region, name: label.name, time: WaypointNumber.time(ofNumber: label.number)))
        }
        return additions
    }

    // MARK: - Android

    /// Clears the list, and sets it again without some and with others.
    private func rewrite(
        without removed: [WaypointList.Entry], _ additions: [JSONValue]
    ) async throws(RegistryError) -> WaypointReport {
        let current = try await phone.list(after: [])
        let gone = Set(removed.compactMap(\.waypoint.time)).union(additions.compactMap { Waypoint($0)?.time })
        let kept = current.all.filter { waypoint in !(waypoint.time.map(gone.contains) ?? false) }
        let wanted = kept.map(\.json) + additions
        try await phone.save(unfinished: wanted)
        return try await finish(wanted, try await phone.list(after: [OwnTracksCommand.clearWaypoints]))
    }

    /// Sets what is missing of a list that the app is to have.
    ///
    /// - Parameter report: What it has.
    @discardableResult
    private func finish(_ wanted: [JSONValue], _ report: WaypointReport) async throws(RegistryError) -> WaypointReport {
        func missing(_ report: WaypointReport) -> [JSONValue] {
            wanted.filter { json in !(Waypoint(json).map { report.all.contains(where: $0.agrees) } ?? true) }
        }
        var report = report
        let absent = missing(report)
        if !absent.isEmpty { report = try await phone.list(after: [OwnTracksCommand.setWaypoints(absent)]) }
        // What an app does not take now is tried again with the next repair.
        if missing(report).isEmpty { try await phone.save(unfinished: nil) }
        return report
    }
}
