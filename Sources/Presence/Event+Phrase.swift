import Model

extension Event {
    /// What the event is, as a verb.
    package var verb: Phrase { type == .enter && cause == .initial ? Phrase("is in") : type.traits.verb }

    /// The text of the event apart from device, verb and geofence; nil if there is none.
    package var remark: Phrase? {
        var parts: [Phrase] = []
        switch rule?.expectation {
        case .entersBy(let by, _, _)?: parts.append(Phrase("expected by \(by.description)"))
        case .staysAtMost(let seconds)?: parts.append(Phrase("expected for at most \(duration: seconds)"))
        case .staysUntil(let until, _)?: parts.append(Phrase("expected until \(until.description)"))
        case nil: break
        }
        if let duration, type != .silent, type != .missed {
            parts.append(type == .dwell ? Phrase("for \(duration: duration)") : Phrase("after \(duration: duration)"))
        }
        switch cause {
        case .moved, .silence, .reported, .rule: break
        case .initial: parts.append(Phrase("at its first position"))
        case .fenceChanged: parts.append(Phrase("because the geofence was changed"))
        case .fenceRemoved: parts.append(Phrase("because the geofence was removed"))
        case .reconciled: parts.append(Phrase("because the phone itself reported it"))
        case .corrected: parts.append(Phrase("corrected by a replay"))
        case .deviceRemoved: parts.append(Phrase("because the device was removed"))
        }
        return parts.isEmpty ? nil : Phrase.joined(parts, separator: ", ")
    }
}
