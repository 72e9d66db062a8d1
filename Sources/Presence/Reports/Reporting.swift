import Core
import Model
import Store

extension Queries {
    /// Adds up visits by period, and by geofence, device or group.
    ///
    /// - Throws: `Problem.notFound` for a device, a group or a geofence that never existed, `Problem.validationFailed` for a report of too
    ///   many rows.
    package func report(_ question: ReportQuestion) throws(Problem) -> Report {
        try store.snapshot { () throws(Problem) in
            var filter = EventFilter(
                deviceId: question.deviceId, geofenceIds: question.geofenceIds, since: question.since, until: question.until)
            filter.excludedGeofenceIds = question.excludedGeofenceIds
            filter.minDuration = question.minDuration
            try check(filter)
            let members = try question.group.map { name throws(Problem) in Set(try devices(inGroup: name).map(\.id)) }
            var groups: [String: [String]] = [:]
            if question.subjects.contains(.group) {
                for device in try devices() { groups[device.id] = Set(device.groups).sorted() }
            }
            var table = ReportTable(question)
            func add() throws(Problem) {
                try store.forEachDeviceVisits(filter) { device throws(Problem) in
                    if let members, !members.contains(device.deviceId) { return }
                    let groups = (groups[device.deviceId] ?? []).filter { question.group == nil || $0 == question.group }
                    if groups.isEmpty, question.subjects.contains(.group) { return }
                    try table.add(device, in: groups)
                    if question.hasDistance {
                        let known = try store.knownDevice(id: device.deviceId)?.stored.device
                        try table.addWay(
                            of: device.deviceId, known?.policy.applied(to: policy) ?? policy, in: groups, store)
                    }
                    table.omittedVisits += device.omittedVisits
                    if table.count > ReportQuestion.maxRows {
                        throw .validationFailed(
                            field: "period", value: question.period.rawValue,
                            reason: Phrase("these are more than \(ReportQuestion.maxRows) rows"),
                            expected: .longerPeriods)
                    }
                }
            }
            if question.hasDistance { try readTracks(of: try store.devices().map(\.key), add) } else { try add() }
            let unevaluated = try unevaluatedPositions(filter).filter { members?.contains($0.deviceId) ?? true }
            return Report(question, rows: table.sorted, omittedVisits: table.omittedVisits, unevaluated: unevaluated)
        }
    }
}
