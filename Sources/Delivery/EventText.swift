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
        let words: any EventWords =
            switch language {
            case .english: EnglishEvents()
            case .turkish: TurkishEvents()
            }
        let device = outbox.deviceName
        var title = words.title(
            event.type, device: device, geofence: event.geofenceName ?? event.geofenceId ?? "",
            duration: event.duration.map(language.duration), original: outbox.original?.type)
        if let rule = event.rule ?? outbox.original?.rule {
            // The rule's times are in the rule's time zone.
            let name = rule.timeZone == zone.name ? "" : " (\(rule.timeZone))"
            title = words.missed(
                rule.expectation, device: device, geofence: event.geofenceName ?? event.geofenceId ?? "", zone: name,
                isRetracted: event.type == .retracted)
        }
        if outbox.isReplaced { title = words.replaced(device: device) }
        let emergencyWords = language.emergencyWords
        let isEmergency = event.urgency == .emergency
        if let alarm = event.alarm {
            title =
                "\(isEmergency ? emergencyWords.emergency : emergencyWords.alarm): \(device) (\(emergencyWords.kind(alarm.kind)))"
        }
        if isTest { title = "\(words.test): \(title)" }
        self.title = title
        acknowledgeLabel = emergencyWords.acknowledge
        body = words.time(zone.dateTime(outbox.original?.occurredAt ?? event.occurredAt), zone: zone.name)
        if let alarm = event.alarm {
            let position = zone.dateTime(event.fix.time)
            var sentences = [
                alarm.hasPosition
                    ? emergencyWords.lastPosition(position, in: alarm.inside.map(\.geofenceName)) : emergencyWords.noPosition
            ]
            if isEmergency {
                sentences.append("\(emergencyWords.emergencyNumber): \(alarm.emergencyNumber)")
                sentences.append(
                    emergencyWords.repeated(until: outbox.acknowledgeURL ?? "picket alarm ack \(event.sequence)"))
            }
            body += sentences.map { ". \($0)" }.joined()
        }
        if event.type == .missed {
            body += ". \(event.hasPosition ? words.lastPosition(zone.dateTime(event.fix.time)) : emergencyWords.noPosition)"
        }
    }
}

/// Sentences about events in one language.
private protocol EventWords {
    /// - Parameters:
    ///   - duration: A formatted duration.
    ///   - original: For a retraction, the type of the retracted event.
    func title(_ type: EventType, device: String, geofence: String, duration: String?, original: EventType?) -> String
    /// The heading of a retraction after which the same event is recorded again with other details.
    func replaced(device: String) -> String
    func time(_ local: String, zone: String) -> String
    /// The heading of a missed event, or of its retraction.
    ///
    /// - Parameter zone: The suffix of a time of day; empty when the rule's time zone is that of the message.
    func missed(
        _ expectation: PresenceRule.Expectation, device: String, geofence: String, zone: String, isRetracted: Bool
    ) -> String
    /// The time of the last position.
    func lastPosition(_ time: String) -> String
    var test: String { get }
}

private struct EnglishEvents: EventWords {
    var test: String { "Test" }

    func title(_ type: EventType, device: String, geofence: String, duration: String?, original: EventType?) -> String {
        switch type {
        case .enter: "\(device) entered \(geofence)"
        case .exit: "\(device) left \(geofence)" + (duration.map { " after \($0)" } ?? "")
        case .dwell: "\(device) has stayed in \(geofence)" + (duration.map { " for \($0)" } ?? "")
        case .silent: duration.map { "\(device) has been silent for \($0)" } ?? "\(device) is silent"
        case .returned: "\(device) is reporting again" + (duration.map { " after \($0)" } ?? "")
        case .alarm: "ALARM: \(device)"
        case .missed: "\(device): \(geofence)"
        case .retracted:
            switch original {
            case .enter: "Retracted: \(device) did not enter \(geofence) then"
            case .exit: "Retracted: \(device) did not leave \(geofence) then"
            case .dwell: "Retracted: \(device) did not stay in \(geofence) then"
            case .silent: "Retracted: \(device) was not silent then"
            case .returned: "Retracted: \(device) was not reporting again then"
            case .alarm, .missed, .retracted, nil: "Retracted: an event of \(device) was wrong"
            }
        }
    }

    func replaced(device: String) -> String { "Corrected: only the details of an event of \(device)" }

    func time(_ local: String, zone: String) -> String { "\(local) (\(zone))" }

    func missed(
        _ expectation: PresenceRule.Expectation, device: String, geofence: String, zone: String, isRetracted: Bool
    ) -> String {
        switch (expectation, isRetracted) {
        case (.entersBy(let by, _, _), false): "\(device) has not entered \(geofence) by \(by)\(zone)"
        case (.entersBy(let by, _, _), true): "Retracted: \(device) was in \(geofence) by \(by)\(zone)"
        case (.staysAtMost(let seconds), false): "\(device) is still in \(geofence) after \(Language.english.duration(seconds))"
        case (.staysAtMost(let seconds), true):
            "Retracted: \(device) was not in \(geofence) for longer than \(Language.english.duration(seconds))"
        case (.staysUntil(let until, _), false): "\(device) left \(geofence) before \(until)\(zone)"
        case (.staysUntil(let until, _), true): "Retracted: \(device) did not leave \(geofence) before \(until)\(zone) then"
        }
    }

    func lastPosition(_ time: String) -> String { "Last position: \(time)" }
}

private struct TurkishEvents: EventWords {
    var test: String { "Deneme" }

    func title(_ type: EventType, device: String, geofence: String, duration: String?, original: EventType?) -> String {
        switch type {
        case .enter: "\(device), \(geofence) sınırına girdi"
        case .exit: "\(device), \(duration.map { "\($0) sonra " } ?? "")\(geofence) sınırından çıktı"
        case .dwell: "\(device), \(geofence) sınırının içinde kaldı" + (duration.map { " (\($0))" } ?? "")
        case .silent: "\(device) sessiz" + (duration.map { " (\($0))" } ?? "")
        case .returned: "\(device) yeniden haber veriyor" + (duration.map { " (\($0) sonra)" } ?? "")
        case .alarm: "ALARM: \(device)"
        case .missed: "\(device): \(geofence)"
        case .retracted:
            switch original {
            case .enter: "Geri çekildi: \(device) o sırada \(geofence) sınırına girmedi"
            case .exit: "Geri çekildi: \(device) o sırada \(geofence) sınırından çıkmadı"
            case .dwell: "Geri çekildi: \(device) o sırada \(geofence) sınırının içinde kalmadı"
            case .silent: "Geri çekildi: \(device) o sırada sessiz değildi"
            case .returned: "Geri çekildi: \(device) o sırada yeniden haber vermedi"
            case .alarm, .missed, .retracted, nil: "Geri çekildi: \(device) ile ilgili bir olay yanlıştı"
            }
        }
    }

    func replaced(device: String) -> String { "Düzeltildi: \(device) ile ilgili bir olayın yalnızca ayrıntıları" }

    func time(_ local: String, zone: String) -> String { "\(local) (\(zone))" }

    func missed(
        _ expectation: PresenceRule.Expectation, device: String, geofence: String, zone: String, isRetracted: Bool
    ) -> String {
        switch (expectation, isRetracted) {
        case (.entersBy(let by, _, _), false): "\(device), saat \(by)\(zone) itibarıyla \(geofence) sınırına girmedi"
        case (.entersBy(let by, _, _), true):
            "Geri çekildi: \(device), saat \(by)\(zone) itibarıyla \(geofence) sınırının içindeydi"
        case (.staysAtMost(let seconds), false):
            "\(device), \(Language.turkish.duration(seconds)) sonra hâlâ \(geofence) sınırının içinde"
        case (.staysAtMost(let seconds), true):
            "Geri çekildi: \(device), \(geofence) sınırının içinde en fazla \(Language.turkish.duration(seconds)) kaldı"
        case (.staysUntil(let until, _), false): "\(device), saat \(until)\(zone) olmadan \(geofence) sınırından çıktı"
        case (.staysUntil(let until, _), true):
            "Geri çekildi: \(device) o sırada saat \(until)\(zone) olmadan \(geofence) sınırından çıkmadı"
        }
    }

    func lastPosition(_ time: String) -> String { "Son konum: \(time)" }
}
