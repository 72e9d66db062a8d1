import Core
import Model
import Places
import Presence
import Store

extension Queries {
    /// The numbers of existing geofences and devices that were created by the sample data.
    package func sampleCounts() throws(Problem) -> (geofences: Int, devices: Int) {
        guard hasStore else { return (0, 0) }
        var counts = (geofences: 0, devices: 0)
        for item in try store.sampleItems() {
            switch item.kind {
            case .geofence: if try knownGeofence(id: item.id) != nil { counts.geofences += 1 }
            case .device: if try hasDevice(id: item.id) { counts.devices += 1 }
            }
        }
        return counts
    }

    fileprivate struct SampleKey: Hashable {
        var kind: PicketStore.SampleItem.Kind
        var id: String
    }
}

extension ServiceWriter {
    /// Loads the geofences, devices and positions of the sample data. Repeating this changes nothing. A person's own object with the same
    /// id is not changed, and a person's own device gets no positions.
    ///
    /// Each new object is recorded before it is created, so that it can be removed even if loading was interrupted.
    package func load(_ sample: SampleData) throws(Problem) -> SampleChange {
        var change = SampleChange()
        let noted = Set(try store.sampleItems().map { SampleKey(kind: $0.kind, id: $0.id) })
        var batches: [FixBatch] = []
        for track in SampleData.tracks { batches.append(try sample.positions(ofTrack: track)) }
        let tracked = Set(batches.flatMap(\.deviceNames))

        let file = try GeofenceFile.decode([UInt8](try GeofenceFile.read(sample.geofences)), source: .verbatim(sample.geofences))
        var edits: [GeofenceEdit] = []
        var items: [PicketStore.SampleItem] = []
        for geofence in try GeofenceFile.geofences(of: file, context: geometry).geofences {
            if try knownGeofence(id: geofence.id) == nil {
                edits.append(.save(geofence))
                items.append(.init(.geofence, id: geofence.id, content: geofence.json.description))
            } else if !noted.contains(.init(kind: .geofence, id: geofence.id)) {
                change.kept.append(geofence.id)
            }
        }
        try recordItems(items)
        change.events += try apply(edits).count
        change.geofences = edits.count

        var own: Set<String> = []
        for device in try sample.devices() where tracked.contains(device.id) {
            if try !hasDevice(id: device.id) {
                try recordItems([.init(.device, id: device.id, content: device.json.description)])
                try save(device)
                change.devices += 1
            } else if !noted.contains(.init(kind: .device, id: device.id)) {
                change.kept.append(device.id)
                continue
            }
            own.insert(device.id)
        }
        for var batch in batches {
            let names = batch.deviceNames
            batch.rows.removeAll { $0.device < 0 || !own.contains(names[Int($0.device)]) }
            let result = try accept(batch)
            change.fixes += result.counts.accepted
            change.events += result.events.count
        }
        return change
    }

    /// Removes the objects that the sample data created, with all of their data. An object that was changed since stays, and no
    /// longer belongs to the sample data. This includes a device for which a token was created, or that has itself reported a
    /// position.
    ///
    /// The erasures of the devices are not finished yet; see `finishErasures()`.
    package func removeSampleData(_ sample: SampleData) throws(Problem) -> SampleChange {
        var change = SampleChange()
        let enrolled = Set(try tokens().compactMap(\.onlyDevice))
        let newest = try sample.newestTimes()
        let items = try store.sampleItems()
        // Geofences are removed first: erasing a device removes it from the geofences that are only for it, which would change them.
        var edits: [GeofenceEdit] = []
        for item in items where item.kind == .geofence {
            guard let geofence = try knownGeofence(id: item.id) else { continue }
            if geofence.json.description == item.content {
                edits.append(.remove(id: item.id))
            } else {
                change.kept.append(item.id)
            }
        }
        try apply(edits)
        change.geofences = edits.count
        for item in items where item.kind == .device {
            guard let device = try store.device(id: item.id)?.device else { continue }
            let reported = try deviceStatus(of: item.id).newest?.time
            let isInUse = enrolled.contains(item.id) || reported.map { $0 > newest[item.id] ?? $0 } == true
            guard device.json.description == item.content, !isInUse else {
                change.kept.append(item.id)
                continue
            }
            let erasure = try eraseRecords(ofDevice: item.id, rewriting: false)
            change.devices += 1
            change.fixes += erasure.fixes
            change.events += erasure.events
        }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try store.forgetSampleItems(in: transaction) }
        return change
    }

    private func recordItems(_ items: [PicketStore.SampleItem]) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            for item in items { try store.add(item, in: transaction) }
        }
    }
}
