import Model

/// The text of a message about an event: a heading, and a body that begins with the time.
struct EventText {
    var title: String
    var body: String
    /// The label of the button that acknowledges an emergency.
    var acknowledgeLabel: String

    /// Heading and body in one line.
    var titleAndBody: String { "\(title). \(body)" }

    /// - Parameter isTest: Whether the event is made up to test a sink.
    init(_ outbox: OutboxEvent, language: Language, zone: SinkTimeZone, isTest: Bool = false) {
        let event = outbox.event
        let isEmergency = event.urgency == .emergency
        var title = Self.title(outbox, zone: zone)
        if let alarm = event.alarm {
            let heading = isEmergency ? AlarmText.emergency : Phrase("Alarm")
            title = Phrase("\(heading): \(outbox.deviceName) (\(AlarmText.kind(alarm.kind)))")
        }
        if isTest { title = Phrase("Test: \(title)") }
        self.title = title.text(in: language)
        acknowledgeLabel = AlarmText.acknowledge.text(in: language)
        let time = zone.dateTime(outbox.original?.occurredAt ?? event.occurredAt)
        var sentences: [Phrase] = [Phrase("\(time) (\(zone.name))")]
        let position = zone.dateTime(event.fix.time)
        if let alarm = event.alarm {
            sentences.append(
                alarm.hasPosition
                    ? AlarmText.lastPosition(position, in: alarm.inside.map(\.geofenceName)) : AlarmText.noPosition)
            if isEmergency {
                let action = outbox.acknowledgeURL ?? "picket alarm ack \(event.sequence)"
                sentences.append(Phrase("\(AlarmText.emergencyNumber): \(alarm.emergencyNumber)"))
                sentences.append(Phrase("Repeated until the alarm is acknowledged: \(action)"))
            }
        }
        if event.type == .missed {
            sentences.append(event.hasPosition ? Phrase("Last position: \(position)") : AlarmText.noPosition)
        }
        // A silent device may have run out of power, and one with little left may soon be silent.
        if let battery = outbox.battery, event.type == .silent || battery <= Self.littleBattery, !isTest {
            sentences.append(Phrase("Battery \(percent: battery)%"))
        }
        body = sentences.map { $0.text(in: language) }.joined(separator: ". ")
    }

    /// A battery from which on messages name it.
    private static let littleBattery = 0.2

    /// The heading of an event that is not an alarm.
    private static func title(_ outbox: OutboxEvent, zone: SinkTimeZone) -> Phrase {
        let (event, device) = (outbox.event, outbox.deviceName)
        let geofence = event.geofenceName ?? event.geofenceId ?? ""
        // The retraction of an event that is recorded again with other details.
        if outbox.isReplaced { return Phrase("Corrected: only the details of an event of \(device)") }
        if let rule = event.rule ?? outbox.original?.rule {
            return missed(rule, device, geofence, zone, isRetracted: event.type == .retracted)
        }
        let duration = event.duration
        switch event.type {
        case .enter: return Phrase("\(device) entered \(geofence)")
        case .exit:
            return duration.map { Phrase("\(device) left \(geofence) after \(duration: $0)") }
                ?? Phrase("\(device) left \(geofence)")
        case .dwell:
            return duration.map { Phrase("\(device) has stayed in \(geofence) for \(duration: $0)") }
                ?? Phrase("\(device) has stayed in \(geofence)")
        case .silent:
            return duration.map { Phrase("\(device) has been silent for \(duration: $0)") } ?? Phrase("\(device) is silent")
        case .returned:
            return duration.map { Phrase("\(device) is reporting again after \(duration: $0)") }
                ?? Phrase("\(device) is reporting again")
        case .alarm: return Phrase("ALARM: \(device)")
        case .missed: return Phrase("\(device): \(geofence)")
        case .retracted:
            switch outbox.original?.type {
            case .enter: return Phrase("Retracted: \(device) did not enter \(geofence) then")
            case .exit: return Phrase("Retracted: \(device) did not leave \(geofence) then")
            case .dwell: return Phrase("Retracted: \(device) did not stay in \(geofence) then")
            case .silent: return Phrase("Retracted: \(device) was not silent then")
            case .returned: return Phrase("Retracted: \(device) was not reporting again then")
            case .alarm, .missed, .retracted, nil: return Phrase("Retracted: an event of \(device) was wrong")
            }
        }
    }

    /// The heading of a missed event, or of its retraction.
    private static func missed(
        _ rule: MissedRule, _ device: String, _ geofence: String, _ zone: SinkTimeZone, isRetracted: Bool
    ) -> Phrase {
        // The rule's times are in the rule's time zone.
        func time(_ time: TimeOfDay) -> String { rule.timeZone == zone.name ? "\(time)" : "\(time) (\(rule.timeZone))" }
        return switch (rule.expectation, isRetracted) {
        case (.entersBy(let by, _, _), false): Phrase("\(device) has not entered \(geofence) by \(time(by))")
        case (.entersBy(let by, _, _), true): Phrase("Retracted: \(device) was in \(geofence) by \(time(by))")
        case (.staysAtMost(let seconds), false): Phrase("\(device) is still in \(geofence) after \(duration: seconds)")
        case (.staysAtMost(let seconds), true):
            Phrase("Retracted: \(device) was not in \(geofence) for longer than \(duration: seconds)")
        case (.staysUntil(let until, _), false): Phrase("\(device) left \(geofence) before \(time(until))")
        case (.staysUntil(let until, _), true):
            Phrase("Retracted: \(device) did not leave \(geofence) before \(time(until)) then")
        }
    }
}
