import Model

extension PicketStore {
    /// A version of a geofence that replaces the recorded versions in one device's past.
    ///
    /// It is stored as an entry of the input log. The version applies to the log entries after `start` and before `end`.
    package struct FenceBackdating: Sendable {
        package var fence: FenceKey
        /// The version; nil if the geofence did not exist at `revision`. It then counts as never having existed.
        package var version: FenceVersion?
        /// The revision of the geofences from which the version is taken.
        package var revision: Int64
        /// The version applies to the log entries after this fix; nil for all earlier entries of the device.
        package var start: TrackPosition?
        /// The number of this backdating's own entry in the input log, before which the version applies.
        package var end: Int64

        package init(fence: FenceKey, version: FenceVersion?, revision: Int64, start: TrackPosition?, end: Int64 = .max) {
            self.fence = fence
            self.version = version
            self.revision = revision
            self.start = start
            self.end = end
        }

        /// Whether the version applies at an entry of the log.
        package func holds(at place: InputPosition) -> Bool {
            place.number < end && start.map { Self.place(afterFix: $0.number) <= place } ?? true
        }

        /// The place in the log right after a fix.
        package static func place(afterFix number: Int64) -> InputPosition { InputPosition(number, after: true) }
    }

    /// The backdated geofences of a device, in the order of the input log. If several apply, the last one counts.
    package func backdatings(of device: DeviceKey) throws(Problem) -> [FenceBackdating] {
        let rows = try rows(
            "SELECT number, geofence, at, after FROM input WHERE device = ? AND kind = 5 ORDER BY number", device.value,
            as: Int64.self, FenceKey.self, Instant?.self, Int64?.self)
        if rows.isEmpty { return [] }
        let versions = Dictionary(grouping: try fenceVersions(Set(rows.map { $0.1 })), by: \.key)
        return try rows.map { number, fence, at, after throws(Problem) in
            let revision = try fenceRevision(before: number)
            var start: TrackPosition?
            if let at, let after { start = TrackPosition(time: at, number: after) }
            return FenceBackdating(
                fence: fence, version: versions[fence]?.first { $0.isInEffect(at: revision) }, revision: revision, start: start,
                end: number)
        }
    }
}

extension LoggedInput {
    /// The entry right after a fix, from which the geofences backdated to that fix apply. It is not stored.
    package static func backdatingStart(afterFix number: Int64) -> LoggedInput {
        LoggedInput(place: PicketStore.FenceBackdating.place(afterFix: number), device: nil, kind: .backdatingStart)
    }
}
