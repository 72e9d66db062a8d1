import Core
import Delivery
import Geodesy
import Model
import Monitor
import Store

// Alarms: a device requests help. The alarm is an event, and stays open until a person acknowledges it.

extension Queries {
    /// Seconds within which alarms of the same kind from one device count as the same alarm.
    fileprivate static let alarmSpan = 600.0

    // MARK: - Queries

    /// The newest alarms, newest first.
    ///
    /// - Parameters:
    ///   - onlyOpen: Whether only alarms are returned that were not acknowledged.
    ///   - onlyEmergencies: Whether only emergencies are returned.
    ///   - place: The value of `Page.next` of the preceding page; nil for the first page.
    package func alarms(
        onlyOpen: Bool, onlyEmergencies: Bool = false, after place: String?, limit: Int
    ) throws(Problem) -> Page<Event> {
        let before = place.map { Int64($0) ?? -1 }
        if before == -1 {
            throw .validationFailed(
                field: "after", value: place ?? "", reason: .namesNothing(.alarm), expected: .whatWasSaid("next"))
        }
        let found = try store.alarms(onlyOpen: onlyOpen, onlyEmergencies: onlyEmergencies, before: before, limit: limit + 1)
        return Page(found, limit: limit) { String($0.sequence) }
    }

    /// The alarm with this event id or number. Throws `Problem.notFound` if there is none.
    package func alarm(id: String) throws(Problem) -> Event {
        let number = if let number = Int64(id) { Optional(number) } else { try store.sequence(ofAlarm: id) }
        guard let number, let event = try store.outboxEvent(number)?.event, event.type == .alarm else {
            throw .notFound(kind: .alarm, id: id, similar: [])
        }
        return event
    }
}

extension ServiceWriter {
    /// Records the alarms of devices, each once. Must be called within the transaction of the positions, after them.
    ///
    /// An unknown device is created. An alarm without a position gets the device's last one.
    func recordAlarms(
        _ reports: [AlarmReport], in group: inout IntakeGroup, _ transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        var events: [Event] = []
        for report in reports {
            guard let name = report.device, Identifier.flaw(inDevice: name) == nil else { continue }
            let deviceIndex = try loadOrCreateDevice(of: name, in: transaction)
            let time = min(report.time ?? group.now, group.now)
            if try store.hasAlarm(of: loadedDevices[deviceIndex].key, at: time, kind: report.kind, within: Self.alarmSpan) {
                continue
            }
            if report.fix == nil, isServing {
                let signs = try recordSignOfLife(deviceId: name, at: group.now, in: transaction)
                events += signs
                group.sequence = try store.newestSequence()
            }
            let state = loadedDevices[deviceIndex].state
            let fix = report.fix ?? state.newest
            let alarm = Alarm(
                kind: report.kind, inside: try places(of: deviceIndex), hasPosition: fix != nil,
                emergencyNumber: emergencyNumbers.numbers(inZone: state.device.inputTimeZone))
            let nowhere = Fix(time: time, coordinate: Coordinate(latitude: 0, longitude: 0))
            let transition = Transition(
                type: .alarm, fence: nil, occurredAt: time, confirmedAt: time, cause: .reported, fix: fix ?? nowhere)
            group.sequence += 1
            var event = try store.append(
                transition, sequence: group.sequence, device: loadedDevices[deviceIndex].key, deviceId: name, geofence: nil,
                revision: try engine().fences.revision, recordedAt: group.now, in: transaction)
            event.alarm = alarm
            try store.append(alarm, to: event, of: loadedDevices[deviceIndex].key, in: transaction)
            publish([event])
            events.append(event)
        }
        return events
    }

    /// The geofences that a device is inside of.
    private func places(of deviceIndex: Int) throws(Problem) -> [Alarm.Place] {
        let fences = try engine().fences
        return loadedDevices[deviceIndex].state.fenceStates.filter { $0.visit != nil }.compactMap { presence in
            fences.geofence(presence.fence).map { Alarm.Place(geofenceId: $0.id, geofenceName: $0.name) }
        }
    }

    /// Records that a person has seen an alarm, which ends its repetition. Only the first acknowledgment counts.
    ///
    /// - Parameters:
    ///   - event: The alarm; see `alarm(id:)`.
    ///   - person: The person's name as they give it; nil if they give none.
    package func acknowledge(_ event: Event, by person: String?) throws(Problem) -> Event {
        if let person, person.count > 120 || person.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            throw .validationFailed(
                field: "by", value: String(person.prefix(60)), reason: Phrase("it is not a name"),
                expected: Phrase("at most 120 characters, none of them a control character"))
        }
        guard event.alarm?.acknowledgement == nil else { return event }
        let now = clock.now()
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.acknowledge(event.sequence, .init(at: now, by: person), in: transaction)
            let changed = try alarm(id: event.id)
            publish(ServiceNotice(.alarm, deviceId: changed.deviceId, changed.json))
            return changed
        }
    }
}
