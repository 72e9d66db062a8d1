import Model

/// The English texts about the comparison of a log with a track.
struct EnglishComparison: ComparisonCatalog {
    var title: String { "What the app was told" }
    var geofence: String { "Geofence" }
    var byGeofence: String { "By geofence" }
    var happened: String { "Happened" }
    var told: String { "Told" }
    var median: String { "Median" }
    var worst: String { "Worst" }
    var missed: String { "Missed" }
    var falseReports: String { "False" }
    var faults: String { "Missed and false" }

    func toldLate(_ duration: String) -> String { "told \(duration) late" }

    func more(_ count: Int) -> String { "… and \(count.grouped(by: ",")) more; --json names them" }

    func name(_ kind: TransitionKind, _ outcome: ComparedTransition.Outcome) -> String {
        switch outcome {
        case .told: "told \(kind.rawValue)"
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
            return "it is '\(shown.authorization?.rawValue ?? "")'\(since), and only 'always' watches in the background"
        case .orphanedIdentifier:
            let id = "'\(words.shown(shown.identifier ?? ""))'"
            return transition.outcome == .false
                ? "no geofence has \(id)" : "\(words.platform) watches it as \(id), which no geofence has"
        case .notRegistered:
            var text =
                switch (shown.since, shown.until) {
                case (let since?, let until?):
                    "its region is in the list of \(words.time(since)), and no longer in that of \(words.time(until))"
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
                return "the next transition came \(words.duration(duration)) later, sooner than \(words.platform) tells one"
            }
            return transition.toldAt == nil ? nil : "its region was registered"
        case .duplicate: return "the app had been told so before"
        case .nearBoundary: return "the track is \(words.length(shown.distance ?? 0)) from the boundary"
        case .logGap:
            return switch (shown.since, shown.until) {
            case (let since?, let until?): "the log has nothing from \(words.time(since)) to \(words.time(until))"
            case (let since?, nil): "the log ends at \(words.time(since))"
            case (nil, let until?): "the log begins at \(words.time(until))"
            case (nil, nil): "the log is empty"
            }
        case .trackGap: return "the track has no position around that time"
        case .unexplained: return "nothing in the log explains it"
        }
    }

    func scope(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        let fixes = report.fixCount.counted("fix", "fixes")
        let geofences = report.geofenceCount.counted("geofence", "geofences")
        guard let span = report.span else { return "No positions, \(geofences): there is nothing to compare with." }
        let place = "\(fixes) from \(words.time(span.lowerBound)) to \(words.time(span.upperBound)), \(geofences)"
        if report.fixCount == 1 { return "\(place). A single position shows no transition." }
        return "\(place), \(report.remarks.observations.counted("observation", "observations")). "
            + "With every geofence registered and healthy, \(words.platform) tells "
            + "\(report.happened.counted("transition", "transitions")) of this track."
    }

    func result(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        var text = "\(report.told.grouped(by: ",")) told"
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
                texts.append("The log's clock counts as \(difference) the track's.")
            } else {
                texts.append(
                    "The log's clock is \(difference) the track's, by the median of "
                        + "\(skew.reports.counted("report", "reports")). "
                        + (skew.isCorrected ? "Its times were corrected." : "--clock-skew auto corrects it."))
            }
        }
        if remarks.namesNoGeofence {
            texts.append(
                "None of the log's identifiers is that of a geofence. --prefix names how they begin before the geofence's id.")
        }
        if remarks.doubled > 0 {
            texts.append("\(remarks.doubled.counted("doubled line", "doubled lines")) counted once.")
        }
        if remarks.outOfOrder > 0 {
            texts.append("\(remarks.outOfOrder.counted("line is", "lines are")) out of order, and put in order.")
        }
        if remarks.outsideTrack > 0 {
            texts.append(
                "\(remarks.outsideTrack.counted("report is", "reports are")) from before or after the track, and not judged.")
        }
        if remarks.initial > 0 {
            texts.append(
                "\(remarks.initial.counted("report", "reports")) of the geofences in which the track begins: not judged.")
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
            case (nil, let end?): texts.append("The log begins at \(end), and transitions were missed before it.")
            case (nil, nil): texts.append("The log is empty.")
            }
        }
        if !remarks.unknownIdentifiers.isEmpty {
            let more = remarks.unknownIdentifierCount - remarks.unknownIdentifiers.prefix(5).count
            texts.append(
                "Identifiers that no geofence has: "
                    + remarks.unknownIdentifiers.prefix(5).map {
                        "'\(words.shown($0.identifier))' (\($0.count.grouped(by: ",")))\($0.isOurs ? "" : ", of another SDK")"
                    }.joined(separator: ", ") + (more > 0 ? " … and \(more.grouped(by: ",")) more." : "."))
        }
        return texts
    }
}
