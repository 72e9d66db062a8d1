import Model
import Registry

/// The waypoints of a phone's OwnTracks app as the phone's region registry: the app has the operating system watch the waypoints in its
/// list.
///
/// Additions and removals are collected and sent together when the registry is next read, because the only acknowledgment is the list that
/// the app publishes then.
///
/// On Android the app cannot remove a single waypoint. There, the whole list is cleared and sent again without the removed waypoints,
/// including the person's own waypoints. The list to send is saved to disk first, so that a crash in between loses no waypoint.
package actor OwnTracksRegistry: RegionRegistry, RegistryClock {
    package nonisolated let profile: PlatformProfile
    private let phone: any WaypointPhone
    private let clock: @Sendable () -> Instant
    /// The waypoints in the app's last list.
    /// Regions to add with the next reading.
    private var listed: [WaypointList.Entry] = []
    /// Regions to remove with the next reading.
    private var regionsToAdd: [RegionID: Region] = [:]
    private var regionsToRemove: Set<RegionID> = []
    /// A list that has just arrived and that answers the first reading.
    private var initialReport: WaypointReport?
    /// Whether the app has left a request unanswered. From then on, every call fails at once instead of waiting again.
    package private(set) var isSilent = false

    /// - Parameter known: A list that the app sent a moment ago, so that the first reading need not request one.
    ///
    package init(
        _ platform: Device.Platform, phone: any WaypointPhone, known: WaypointReport? = nil,
        clock: @escaping @Sendable () -> Instant
    ) {
        profile = .ownTracks(platform)
        self.initialReport = known
        self.phone = phone
        self.clock = clock
    }

    // MARK: - Time

    package var now: Instant { clock() }

    package func sleep(until deadline: Instant) async throws {
        if !isSilent { try await Task.sleep(for: .seconds(max(0, deadline - clock()))) }
    }

    // MARK: - Calls

    package func startMonitoring(_ region: Region) {
        regionsToAdd[region.id] = region
        regionsToRemove.remove(region.id)
    }

    package func stopMonitoring(_ id: RegionID) {
        regionsToAdd[id] = nil
        regionsToRemove.insert(id)
    }

    package func requestState(_ id: RegionID) throws(RegistryError) -> RegionState { throw RegistryError(.unsupported) }

    /// Ends at once: the app's reports arrive with its messages instead.
    package var reports: AsyncStream<RegistryReport> { AsyncStream { $0.finish() } }

    /// Sends the collected changes, and returns the list that the app publishes afterward.
    ///
    /// - Throws: `RegistryError.Code.unavailable` if the app does not answer, now or earlier.
    package func snapshot() async throws(RegistryError) -> RegistrySnapshot {
        guard !isSilent else { throw RegistryError(.unavailable) }
        do throws(RegistryError) {
            if let list = try await phone.unfinishedList() {
                initialReport = nil
                try await finish(list, try await phone.list(after: []))
            }
            let additions = try await additions()
            let removed = listed.filter { regionsToRemove.contains($0.id) }
            let report: WaypointReport
            if let initialReport {
                report = initialReport
                self.initialReport = nil
            } else if profile.platform == .android, !removed.isEmpty {
                report = try await rewrite(without: removed, additions)
            } else {
                let changes = removed.map(\.waypoint.removal) + additions
                report = try await phone.list(after: changes.isEmpty ? [] : [OwnTracksCommand.setWaypoints(changes)])
            }
            listed = report.entries
            regionsToAdd = [:]
            regionsToRemove = []
            return report.snapshot
        } catch {
            isSilent = true
            throw error
        }
    }

    /// The waypoints for the regions to add, sorted by identifier.
    private func additions() async throws(RegistryError) -> [JSONValue] {
        var additions: [JSONValue] = []
        for region in regionsToAdd.values.sorted(by: { $0.id < $1.id }) {
            let label = try await phone.label(of: region.id)
            additions.append(
                Waypoint.json(of: region, name: label.name, time: WaypointNumber.time(ofNumber: label.number)))
        }
        return additions
    }

    // MARK: - Android

    /// Clears the list, and sends it again without the removed and with the added waypoints.
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

    /// Sends the waypoints that are missing from the app's list.
    ///
    /// - Parameters:
    ///   - wanted: The list that the app should have.
    ///   - report: The list that the app has.
    @discardableResult
    private func finish(_ wanted: [JSONValue], _ report: WaypointReport) async throws(RegistryError) -> WaypointReport {
        func missing(_ report: WaypointReport) -> [JSONValue] {
            wanted.filter { json in !(Waypoint(json).map { report.all.contains(where: $0.matches) } ?? true) }
        }
        var report = report
        let absent = missing(report)
        if !absent.isEmpty { report = try await phone.list(after: [OwnTracksCommand.setWaypoints(absent)]) }
        // The next repair sends the waypoints again that the app does not accept now.
        if missing(report).isEmpty { try await phone.save(unfinished: nil) }
        return report
    }
}
