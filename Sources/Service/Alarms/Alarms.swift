import Geodesy
import Model
import Store

// Alarms: a device calls for help. The call is an event, and stays open until a person acknowledges it.

extension Queries {
    /// Alarms of one kind that a device raises within so many seconds are one.
    fileprivate static let alarmSpan = 600.0

    // MARK: - For people

    /// The newest alarms, the newest first.
    ///
    /// - Parameters:
    ///   - onlyOpen: Only those that nobody has acknowledged.
    ///   - place: What `Page.next` said.
    public func alarms(onlyOpen: Bool, after place: String? = nil, limit: Int) throws(Problem) -> Page<Event> {
        let before = place.map { Int64($0) ?? -1 }
        if before == -1 {
            throw .validationFailed(field: "after", value: place ?? "", reason: "it names no alarm", expected: "what 'next' said")
        }
        return Page(try store.alarms(onlyOpen: onlyOpen, before: before, limit: limit + 1), limit: limit) { String($0.sequence) }
    }

    /// The alarm of that id, or of that number.
    public func alarm(id: String) throws(Problem) -> Event {
        let number = if let number = Int64(id) { Optional(number) } else { try store.sequence(ofAlarm: id) }
        guard let number, let event = try store.outboxEvent(number)?.event, event.type == .alarm else {
            throw .notFound(kind: "alarm", id: id, similar: [])
        }
        return event
    }
}

extension ServiceWriter {
    /// Records what devices call for help with, each once. To be called within the transaction of their positions, after these.
    ///
    /// A device that nobody knows yet is made. Without a position of its own an alarm is told with the device's last one.
    func record(_ reports: [AlarmReport], in group: inout IntakeGroup) throws(Problem) -> [Event] {
        var events: [Event] = []
        for report in reports {
            guard let name = report.device, Identifier.flaw(inDevice: name) == nil else { continue }
            let slot = try makeSlot(of: name)
            let time = min(report.time ?? group.now, group.now)
            if try store.hasAlarm(of: slots[slot].key, at: time, kind: report.kind, within: Self.alarmSpan) { continue }
            if report.fix == nil, isServing {
                let signs = try hear(deviceId: name, at: group.now)
                events += signs
                group.sequence += Int64(signs.count)
            }
            let state = slots[slot].state
            let fix = report.fix ?? state.newest
            let alarm = Alarm(
                kind: report.kind, inside: try places(of: slot), hasPosition: fix != nil,
                emergencyNumber: emergencyNumbers.numbers(at: fix?.coordinate))
            let nowhere = Fix(time: time, coordinate: Coordinate(latitude: 0, longitude: 0))
            let transition = Transition(
                type: .alarm, fence: nil, occurredAt: time, confirmedAt: time, cause: .reported, fix: fix ?? nowhere)
            group.sequence += 1
            var event = try store.append(
                transition, sequence: group.sequence, device: slots[slot].key, deviceId: name, geofence: nil,
                revision: try engine().fences.revision, recordedAt: group.now)
            event.alarm = alarm
            try store.append(alarm, to: event, of: slots[slot].key)
            publish([event])
            events.append(event)
        }
        return events
    }

    /// The geofences that a device is in.
    private func places(of slot: Int) throws(Problem) -> [Alarm.Place] {
        let fences = try engine().fences
        return slots[slot].state.presences.filter { $0.visit != nil }.compactMap { presence in
            fences.geofence(presence.fence).map { Alarm.Place(geofenceId: $0.id, geofenceName: $0.name) }
        }
    }

    /// Notes that a person has seen an alarm, which ends its repetition. Once is enough: the first one counts.
    ///
    /// - Parameter person: Who it is, as they say; nil when they do not.
    public func acknowledge(alarm id: String, by person: String?) throws(Problem) -> Event {
        let event = try alarm(id: id)
        if let person, person.count > 120 || person.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            throw .validationFailed(
                field: "by", value: String(person.prefix(60)), reason: "it is not a name",
                expected: "at most 120 characters, none of them a control character")
        }
        guard event.alarm?.acknowledgement == nil else { return event }
        let now = clock.now()
        return try transaction { () throws(Problem) in
            try store.acknowledge(event.sequence, .init(at: now, by: person))
            let told = try alarm(id: id)
            publish(ServiceNotice(.alarm, deviceId: told.deviceId, told.json))
            return told
        }
    }
}
