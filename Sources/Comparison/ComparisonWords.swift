import Model
import Registry

/// The texts about a comparison, in the language and the time zone of a reader.
package struct ComparisonWords: Sendable {
    package var language: Language
    /// A time, in the reader's zone.
    package var time: @Sendable (Instant) -> String
    /// The platform's name, as its vendor writes it.
    package var platform: String

    package init(_ report: ComparisonReport, in language: Language, time: @escaping @Sendable (Instant) -> String) {
        self.language = language
        self.time = time
        platform = PlatformProfile(report.platform).name
    }

    /// A length of time; with a minus if it is negative.
    package func duration(_ seconds: Double) -> String {
        (seconds <= -0.5 ? "−" : "") + language.duration(seconds.magnitude)
    }

    /// An identifier as it is shown: control characters are written as `\u{…}`, and the text is cut to 80 characters.
    package func shown(_ identifier: String) -> String {
        // `RegionID` leaves out Picket's own prefix, which belongs to the identifier here.
        let id = RegionID(identifier)
        return (id.isOurs ? RegionID.prefix : "") + id.description
    }

    /// The headings of the table with a row for each geofence: geofence, happened, reported, median, worst, missed, false.
    package var columns: [String] { Phrase("Geofence|Happened|Reported|Median|Worst|Missed|False").parts(in: language) }

    // MARK: - Transitions

    /// The reason of a transition, with what the log shows: "not registered: its region is not in the list of …".
    package func explanation(_ transition: ComparedTransition) -> String {
        guard let reason = transition.reason else { return "" }
        let late = transition.outcome == .missed ? transition.delay : nil
        let parts = [evidence(transition, for: reason), late.map { Phrase("reported \(duration($0)) late") }].compactMap { $0 }
        let text = parts.isEmpty ? reason.phrase : Phrase("\(reason): \(Phrase.joined(parts, separator: "; "))")
        return text.text(in: language)
    }

    /// What the log shows of a reason; nil if the name of the reason says everything.
    private func evidence(_ transition: ComparedTransition, for reason: ComparedTransition.Reason) -> Phrase? {
        let shown = transition.evidence
        let since = shown.since.map { Phrase(" since \(time($0))") } ?? Phrase("")
        switch reason {
        case .locationOff: return Phrase("location services were off\(since)")
        case .authorization:
            if shown.isImprecise == true { return Phrase("the app had only an imprecise location\(since)") }
            let status = shown.authorization?.rawValue ?? ""
            return Phrase("it was '\(status)'\(since), but regions are watched in the background only with 'always'")
        case .orphanedIdentifier:
            let id = self.shown(shown.identifier ?? "")
            return transition.outcome == .false
                ? Phrase("no geofence has '\(id)'")
                : Phrase("\(platform) watches it as '\(id)', but no geofence has this identifier")
        case .notRegistered:
            var text =
                switch (shown.since, shown.until) {
                case (let since?, let until?):
                    Phrase("its region is in the list of \(time(since)), but no longer in that of \(time(until))")
                case (nil, let until?): Phrase("its region is no longer in the list of \(time(until))")
                case (let since?, nil): Phrase("its region is not in the list of \(time(since))")
                case (nil, nil): Phrase("its region is not in the snapshot")
                }
            if let slots = shown.slots { text = Phrase("\(text), which is full (\(plain: slots) regions)") }
            if let error = shown.error { text = Phrase("\(text); \(Phrase("\(platform) refused it: \(error)"))") }
            return text
        case .drifted:
            switch (shown.distance, shown.radius) {
            case (nil, let radius?): return Phrase("\(platform) watches it with a radius of \(length: radius)")
            case (let distance?, let radius?):
                return Phrase(
                    "\(platform) watches it \(length: distance) from where it should be and with a radius of \(length: radius)")
            case (let distance, nil): return Phrase("\(platform) watches it \(length: distance ?? 0) from where it should be")
            }
        case .notificationOff: return Phrase("the region is registered without this notification")
        case .throttled:
            if let error = shown.error { return Phrase("\(platform) was delayed: \(error)") }
            if let seconds = shown.duration {
                return Phrase("the next transition came \(duration(seconds)) later, sooner than \(platform) reports one")
            }
            return transition.reportedAt == nil ? nil : Phrase("its region was registered")
        case .duplicate: return Phrase("it had already been reported to the app")
        case .nearBoundary: return Phrase("the track is \(length: shown.distance ?? 0) from the boundary")
        case .logGap:
            return switch (shown.since, shown.until) {
            case (let since?, let until?): Phrase("the log has no entries from \(time(since)) to \(time(until))")
            case (let since?, nil): Phrase("the log ends at \(time(since))")
            case (nil, let until?): Phrase("the log starts at \(time(until))")
            case (nil, nil): Phrase("the log is empty")
            }
        case .trackGap: return Phrase("the track has no position around that time")
        case .unexplained: return Phrase("nothing in the log explains it")
        }
    }

    // MARK: - Report

    /// What was compared, as whole sentences.
    package func scope(_ report: ComparisonReport) -> String {
        let geofences = Phrase(
            report.geofenceCount, one: "\(report.geofenceCount) geofence", other: "\(report.geofenceCount) geofences")
        guard let span = report.span else {
            return Phrase("No positions, \(geofences): there is nothing to compare with.").text(in: language)
        }
        let fixes = Phrase(report.fixCount, one: "\(report.fixCount) position", other: "\(report.fixCount) positions")
        let place = Phrase("\(fixes) from \(time(span.lowerBound)) to \(time(span.upperBound)), \(geofences)")
        if report.fixCount == 1 { return Phrase("\(place). A single position shows no transition.").text(in: language) }
        let (observations, happened) = (report.remarks.observations, report.tally.happened)
        let observed = Phrase(observations, one: "\(observations) observation", other: "\(observations) observations")
        let transitions = Phrase(happened, one: "\(happened) transition", other: "\(happened) transitions")
        return Phrase(
            """
            \(place), \(observed). With every geofence registered and healthy, \(platform) would report \(transitions) on this track.
            """
        ).text(in: language)
    }

    /// The result, as whole sentences.
    package func result(_ report: ComparisonReport) -> String {
        let tally = report.tally
        let text =
            if let median = tally.medianDelay, let worst = tally.worstDelay {
                Phrase(
                    """
                    \(tally.reported) reported (median delay \(duration(median)), worst \(duration(worst))), \(tally.missed) missed, \
                    \(tally.falseCount) false.
                    """)
            } else {
                Phrase("\(tally.reported) reported, \(tally.missed) missed, \(tally.falseCount) false.")
            }
        return text.text(in: language)
    }

    /// What was unusual about the log, as whole sentences.
    package func remarks(_ report: ComparisonReport) -> [String] {
        let remarks = report.remarks
        var texts: [Phrase] = []
        if let skew = remarks.skew { texts.append(clock(skew)) }
        if remarks.namesNoGeofence {
            texts.append(
                Phrase(
                    "None of the log's identifiers belongs to a geofence. Set the part before the geofence's id with --prefix."))
        }
        func add(_ count: Int, _ text: Phrase) { if count > 0 { texts.append(text) } }
        let (doubled, unsorted, outside) = (remarks.doubled, remarks.outOfOrder, remarks.outsideTrack)
        let (initial, dwells) = (remarks.initial, remarks.dwellsNotCompared)
        add(
            doubled,
            Phrase(
                doubled, one: "\(doubled) repeated line was counted once.", other: "\(doubled) repeated lines were counted once.")
        )
        add(
            unsorted,
            Phrase(
                unsorted, one: "\(unsorted) line was out of order and sorted by time.",
                other: "\(unsorted) lines were out of order and sorted by time."))
        add(
            outside,
            Phrase(
                outside, one: "\(outside) report is from before or after the track, and not evaluated.",
                other: "\(outside) reports are from before or after the track, and not evaluated."))
        add(
            initial,
            Phrase(
                initial, one: "\(initial) report of the geofences in which the track starts: not evaluated.",
                other: "\(initial) reports of the geofences in which the track starts: not evaluated."))
        add(
            dwells,
            Phrase(
                dwells, one: "\(dwells) dwell not compared: no geofence asks for them.",
                other: "\(dwells) dwells not compared: no geofence asks for them."))
        if let gap = remarks.longestGap { texts.append(self.gap(gap)) }
        if !remarks.unknownIdentifiers.isEmpty { texts.append(identifiers(remarks)) }
        return texts.map { $0.text(in: language) }
    }

    private func clock(_ skew: ClockSkew) -> Phrase {
        let length = duration(skew.seconds.magnitude)
        let difference = skew.seconds < 0 ? Phrase("\(length) behind") : Phrase("\(length) ahead of")
        if skew.reports == 0 { return Phrase("The comparison assumes that the log's clock is \(difference) the track's.") }
        let correction = skew.isCorrected ? Phrase("Its times were corrected.") : Phrase("--clock-skew auto corrects it.")
        return Phrase(
            skew.reports,
            one: "The log's clock is \(difference) the track's, by the median of \(skew.reports) report. \(correction)",
            other: "The log's clock is \(difference) the track's, by the median of \(skew.reports) reports. \(correction)")
    }

    private func gap(_ gap: ClosedRange<Instant>) -> Phrase {
        let begin = gap.lowerBound == .earliest ? nil : time(gap.lowerBound)
        let end = gap.upperBound == .latest ? nil : time(gap.upperBound)
        return switch (begin, end) {
        case (let begin?, let end?):
            Phrase("The log has a gap from \(begin) to \(end), in which transitions were missed.")
        case (let begin?, nil): Phrase("The log ends at \(begin), and transitions were missed after it.")
        case (nil, let end?): Phrase("The log starts at \(end), and transitions were missed before it.")
        case (nil, nil): Phrase("The log is empty.")
        }
    }

    private func identifiers(_ remarks: AppLogRemarks) -> Phrase {
        let named = remarks.unknownIdentifiers.prefix(5).map { unknown in
            let id = shown(unknown.identifier)
            return unknown.isOurs ? Phrase("'\(id)' (\(unknown.count))") : Phrase("'\(id)' (\(unknown.count)), of another SDK")
        }
        let list = Phrase.joined(named, separator: ", ")
        let more = remarks.unknownIdentifierCount - named.count
        return more > 0
            ? Phrase("Identifiers without a geofence: \(list) … and \(more) more.")
            : Phrase("Identifiers without a geofence: \(list).")
    }
}
