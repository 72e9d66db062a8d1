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
                deviceId: question.deviceId, geofenceId: question.geofenceId, since: question.since, until: question.until)
            filter.minDuration = question.minDuration
            try check(filter)
            let members = try question.group.map { name throws(Problem) in Set(try devices(inGroup: name).map(\.id)) }
            var groups: [String: [String]] = [:]
            if question.subject == .group {
                for device in try devices() { groups[device.id] = Set(device.groups).sorted() }
            }
            var table = ReportTable(question)
            func addWay(_ device: PicketStore.DeviceVisits, to names: [String]) throws(Problem) {
                let known = try store.knownDevice(id: device.deviceId)?.stored.device
                try table.addWay(of: device.deviceId, known?.policy.applied(to: policy) ?? policy, to: names, store)
            }
            func add() throws(Problem) {
                try store.forEachDeviceVisits(filter) { device throws(Problem) in
                    if let members, !members.contains(device.deviceId) { return }
                    switch question.subject {
                    case .geofence: try table.addByGeofence(device)
                    case .device:
                        try table.add(device, to: [device.deviceId])
                        try addWay(device, to: [device.deviceId])
                    case .group:
                        let names = (groups[device.deviceId] ?? []).filter { question.group == nil || $0 == question.group }
                        if names.isEmpty { return }
                        try table.add(device, to: names)
                        try addWay(device, to: names)
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
            if question.subject == .geofence { try add() } else { try readTracks(of: try store.devices().map(\.key), add) }
            let unevaluated = try unevaluatedPositions(filter).filter { members?.contains($0.deviceId) ?? true }
            return Report(question, rows: table.sorted, omittedVisits: table.omittedVisits, unevaluated: unevaluated)
        }
    }
}
