import Model

/// The English texts about the comparison of a log with a track.
struct EnglishComparison: ComparisonCatalog {
    var title: String { "Transitions reported to the app" }
    var geofence: String { "Geofence" }
    var byGeofence: String { "By geofence" }
    var happened: String { "Happened" }
    var told: String { "Reported" }
    var median: String { "Median" }
    var worst: String { "Worst" }
    var missed: String { "Missed" }
    var falseReports: String { "False" }
    var faults: String { "Missed and false" }

    func toldLate(_ duration: String) -> String { "reported \(duration) late" }

    func more(_ count: Int) -> String { "… and \(count.grouped(by: ",")) more; --json names them" }

    func name(_ kind: TransitionKind, _ outcome: ComparedTransition.Outcome) -> String {
        switch outcome {
        case .told: "reported \(kind.rawValue)"
        case .missed: "missed \(kind.rawValue)"
        case .false: "false \(kind.rawValue)"
        }
    }

    func name(_ reason: ComparedTransition.Reason) -> String {
        switch reason {
        case .locationOff: "location off"
        case .authorization: "authorization"
        case .orphanedIdentifier: "orphaned identifier"
        case .notRegistered: "not registered"
        case .drifted: "drifted"
        case .notificationOff: "notification off"
        case .throttled: "throttled"
        case .duplicate: "duplicate"
        case .nearBoundary: "near the boundary"
        case .logGap: "gap in the log"
        case .trackGap: "gap in the track"
        case .unexplained: "unexplained"
        }
    }

    func explanation(
        _ transition: ComparedTransition, reason: ComparedTransition.Reason, in words: ComparisonWords
    ) -> String? {
        let shown = transition.evidence
        let since = shown.since.map { " since \(words.time($0))" } ?? ""
        switch reason {
        case .locationOff: return "location services are off\(since)"
        case .authorization:
            if shown.isImprecise == true { return "the app has only an imprecise location\(since)" }
            return
                "it is '\(shown.authorization?.rawValue ?? "")'\(since), but regions are watched in the background only with 'always'"
        case .orphanedIdentifier:
            let id = "'\(words.shown(shown.identifier ?? ""))'"
            return transition.outcome == .false
                ? "no geofence has \(id)" : "\(words.platform) watches it as \(id), but no geofence has this identifier"
        case .notRegistered:
            var text =
                switch (shown.since, shown.until) {
                case (let since?, let until?):
                    "its region is in the list of \(words.time(since)), but no longer in that of \(words.time(until))"
                case (nil, let until?): "its region is no longer in the list of \(words.time(until))"
                case (let since?, nil): "its region is not in the list of \(words.time(since))"
                case (nil, nil): "its region is not in the snapshot"
                }
            if let slots = shown.slots { text += ", which is full (\(slots) regions)" }
            if let error = shown.error { text += "; \(words.platform) refused it: \(error)" }
            return text
        case .drifted:
            let parts = [
                shown.distance.map { "\(words.length($0)) from where it should be" },
                shown.radius.map { "with a radius of \(words.length($0))" },
            ].compactMap { $0 }
            return "\(words.platform) watches it \(parts.joined(separator: " and "))"
        case .notificationOff: return "the region is registered without this notification"
        case .throttled:
            if let error = shown.error { return "\(words.platform) was delayed: \(error)" }
            if let duration = shown.duration {
                return "the next transition came \(words.duration(duration)) later, sooner than \(words.platform) reports one"
            }
            return transition.toldAt == nil ? nil : "its region was registered"
        case .duplicate: return "it had already been reported to the app"
        case .nearBoundary: return "the track is \(words.length(shown.distance ?? 0)) from the boundary"
        case .logGap:
            return switch (shown.since, shown.until) {
            case (let since?, let until?): "the log has no entries from \(words.time(since)) to \(words.time(until))"
            case (let since?, nil): "the log ends at \(words.time(since))"
            case (nil, let until?): "the log starts at \(words.time(until))"
            case (nil, nil): "the log is empty"
            }
        case .trackGap: return "the track has no position around that time"
        case .unexplained: return "nothing in the log explains it"
        }
    }

    func scope(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        let fixes = report.fixCount.counted("position", "positions")
        let geofences = report.geofenceCount.counted("geofence", "geofences")
        guard let span = report.span else { return "No positions, \(geofences): there is nothing to compare with." }
        let place = "\(fixes) from \(words.time(span.lowerBound)) to \(words.time(span.upperBound)), \(geofences)"
        if report.fixCount == 1 { return "\(place). A single position shows no transition." }
        return "\(place), \(report.remarks.observations.counted("observation", "observations")). "
            + "With every geofence registered and healthy, \(words.platform) would report "
            + "\(report.happened.counted("transition", "transitions")) on this track."
    }

    func result(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        var text = "\(report.told.grouped(by: ",")) reported"
        if let median = report.medianDelay, let worst = report.worstDelay {
            text += " (median delay \(words.duration(median)), worst \(words.duration(worst)))"
        }
        return "\(text), \(report.missed.grouped(by: ",")) missed, \(report.falseCount.grouped(by: ",")) false."
    }

    func remarks(_ report: ComparisonReport, _ words: ComparisonWords) -> [String] {
        let remarks = report.remarks
        var texts: [String] = []
        if let skew = remarks.skew {
            let difference = "\(words.duration(skew.seconds.magnitude)) \(skew.seconds < 0 ? "behind" : "ahead of")"
            if skew.reports == 0 {
                texts.append("The log's clock is taken as \(difference) the track's.")
            } else {
                texts.append(
                    "The log's clock is \(difference) the track's, by the median of "
                        + "\(skew.reports.counted("report", "reports")). "
                        + (skew.isCorrected ? "Its times were corrected." : "--clock-skew auto corrects it."))
            }
        }
        if remarks.namesNoGeofence {
            texts.append(
                "None of the log's identifiers belongs to a geofence. Set the part before the geofence's id with --prefix.")
        }
        if remarks.doubled > 0 {
            texts.append("\(remarks.doubled.counted("repeated line was", "repeated lines were")) counted once.")
        }
        if remarks.outOfOrder > 0 {
            texts.append("\(remarks.outOfOrder.counted("line was", "lines were")) out of order and sorted by time.")
        }
        if remarks.outsideTrack > 0 {
            texts.append(
                "\(remarks.outsideTrack.counted("report is", "reports are")) from before or after the track, and not evaluated.")
        }
        if remarks.initial > 0 {
            texts.append(
                "\(remarks.initial.counted("report", "reports")) of the geofences in which the track starts: not evaluated.")
        }
        if remarks.dwellsNotCompared > 0 {
            texts.append("\(remarks.dwellsNotCompared.counted("dwell", "dwells")) not compared: no geofence asks for them.")
        }
        if let gap = remarks.longestGap {
            let begin = gap.lowerBound == .earliest ? nil : words.time(gap.lowerBound)
            let end = gap.upperBound == .latest ? nil : words.time(gap.upperBound)
            switch (begin, end) {
            case (let begin?, let end?):
                texts.append("The log has a gap from \(begin) to \(end), in which transitions were missed.")
            case (let begin?, nil): texts.append("The log ends at \(begin), and transitions were missed after it.")
            case (nil, let end?): texts.append("The log starts at \(end), and transitions were missed before it.")
            case (nil, nil): texts.append("The log is empty.")
            }
        }
        if !remarks.unknownIdentifiers.isEmpty {
            let more = remarks.unknownIdentifierCount - remarks.unknownIdentifiers.prefix(5).count
            texts.append(
                "Identifiers without a geofence: "
                    + remarks.unknownIdentifiers.prefix(5).map {
                        "'\(words.shown($0.identifier))' (\($0.count.grouped(by: ",")))\($0.isOurs ? "" : ", of another SDK")"
                    }.joined(separator: ", ") + (more > 0 ? " … and \(more.grouped(by: ",")) more." : "."))
        }
        return texts
    }
}
