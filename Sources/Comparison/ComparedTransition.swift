import Model
import Registry

/// A transition that happened or was reported, and whether the log reports it.
package struct ComparedTransition: Hashable, Sendable {
    package enum Outcome: String, CaseIterable, Sendable {
        /// It happened, and it was reported to the app in time.
        case reported = "told"
        /// It happened, and it was not reported to the app, or too late.
        case missed
        /// It was reported to the app, and it did not happen.
        case `false`
    }

    /// The id of the geofence; for a report under an identifier that no geofence has, the identifier.
    package var geofenceID: String
    package var kind: TransitionKind
    package var outcome: Outcome
    /// When the reference reports it; for a false one, when it was reported to the app. By the clock of the track.
    package var at: Instant
    /// When it was reported to the app, by the clock of the track; nil if it was not.
    package var reportedAt: Instant?
    /// Why it was missed, or reported falsely.
    package var reason: Reason?
    package var evidence = Evidence()

    /// Why a transition was missed or reported falsely. If several reasons apply, the first of these cases is used.
    package enum Reason: String, CaseIterable, Sendable {
        /// Location services were switched off.
        case locationOff
        /// The app did not have the authorization `always`, or had only an imprecise location.
        case authorization
        /// The region was registered, or the transition reported, under an identifier that no geofence has.
        case orphanedIdentifier
        /// The geofence's region was not registered.
        case notRegistered
        /// The region was registered with another center or radius.
        case drifted
        /// The region was registered without the notification.
        case notificationOff
        /// The region was registered, and the operating system reported the transition too late or never, because there were too
        /// many changes.
        case throttled
        /// The report repeats an earlier report to the app.
        case duplicate
        /// The track passes so close to the boundary that a phone with a less exact position may decide otherwise.
        case nearBoundary
        /// The log has nothing for a long time around the transition.
        case logGap
        /// The track has nothing for a long time around the report.
        case trackGap
        /// Nothing in the log explains it.
        case unexplained
    }

    /// What in the log shows the reason.
    package struct Evidence: Hashable, Sendable {
        /// The identifier of the region or report that no geofence has.
        package var identifier: String?
        /// The time of the entry of the log that shows the reason, by the clock of the track; nil for a snapshot without a time.
        package var since: Instant?
        /// The end of what the log shows, such as a gap, or the later list that no longer has the region.
        package var until: Instant?
        /// Meters between the registered center and the right one, or from the track to the boundary.
        package var distance: Double?
        /// The radius that was registered, in meters, if it is not the right one.
        package var radius: Double?
        package var authorization: Authorization?
        /// Whether the location was imprecise; then `authorization` is not the cause.
        package var isImprecise: Bool?
        /// The error of the operating system.
        package var error: String?
        /// The number of regions, if the list was full.
        package var slots: Int?
        /// Seconds until the next transition of the geofence, if they are too few for the operating system.
        package var duration: Double?

        package init() {}
    }

    /// How many seconds later than the reference the transition was reported to the app; negative if earlier. Nil if it is not
    /// `reported`, unless it was reported too late.
    package var delay: Double? { outcome == .false ? nil : reportedAt.map { $0 - at } }
}

extension ComparedTransition: JSONDescribed {
    private var shownEvidence: Evidence? { evidence == Evidence() ? nil : evidence }

    package static let shape = JSONShape<ComparedTransition>(
        "ComparedTransition", summary: "A transition that happened or was reported, and how the log reports it",
        .init("geofenceId", kind: .text, summary: "The geofence, or an identifier that no geofence has", content: \.geofenceID),
        .init("type", kind: .word, summary: "enter, exit or dwell", content: \.kind),
        .init(
            "outcome", kind: .word, summary: "'told' (reported), 'missed', or 'false': reported although it did not happen",
            content: \.outcome),
        .init(
            "at", kind: .time, summary: "When a phone with every region reports it; if false, when it was reported to the app",
            content: \.at),
        .init(
            "toldAt", optional: .time, summary: "When it was reported to the app, by the track's clock; if missed, too late",
            content: \.reportedAt),
        .init("reason", optional: .word, summary: "Why it was missed or false", content: \.reason),
        .init(
            "evidence", optional: .object, summary: "The evidence for the reason in the log",
            content: \.shownEvidence),
        make: { geofence, kind, outcome, at, reportedAt, reason, evidence in
            ComparedTransition(
                geofenceID: geofence, kind: kind, outcome: outcome, at: at, reportedAt: reportedAt, reason: reason,
                evidence: evidence ?? Evidence())
        })
}

extension ComparedTransition.Evidence: JSONDescribed {
    package static let shape = JSONShape<ComparedTransition.Evidence>(
        "ComparisonEvidence",
        summary: "The evidence in a log for why a transition was missed or false; each reason has its own members",
        .init("identifier", optional: .text, summary: "The identifier that no geofence has", content: \.identifier),
        .init("since", optional: .time, summary: "The time of the entry that shows it", content: \.since),
        .init("until", optional: .time, summary: "The end of what the log shows", content: \.until),
        .init("distance", optional: .number, summary: "Meters from where it should be, or to the boundary", content: \.distance),
        .init("radius", optional: .number, summary: "The registered radius in meters", content: \.radius),
        .init("authorizationStatus", optional: .word, summary: "The authorization at that time", content: \.authorization),
        .init("imprecise", optional: .flag, summary: "Whether the app had only an imprecise location", content: \.isImprecise),
        .init("error", optional: .text, summary: "The error of the operating system", content: \.error),
        .init("slots", optional: .whole, summary: "The number of regions of a list that was full", content: \.slots),
        .init("duration", optional: .number, summary: "Seconds until the next transition of the geofence", content: \.duration),
        make: { identifier, since, until, distance, radius, authorization, isImprecise, error, slots, duration in
            var evidence = ComparedTransition.Evidence()
            evidence.identifier = identifier
            evidence.since = since
            evidence.until = until
            evidence.distance = distance
            evidence.radius = radius
            evidence.authorization = authorization
            evidence.isImprecise = isImprecise
            evidence.error = error
            evidence.slots = slots
            evidence.duration = duration
            return evidence
        })
}

extension ComparedTransition: Named {
    /// What happened, in two words.
    package var phrase: Phrase {
        switch (outcome, kind) {
        case (.reported, .enter): Phrase("reported enter")
        case (.reported, .exit): Phrase("reported exit")
        case (.reported, .dwell): Phrase("reported dwell")
        case (.missed, .enter): Phrase("missed enter")
        case (.missed, .exit): Phrase("missed exit")
        case (.missed, .dwell): Phrase("missed dwell")
        case (.false, .enter): Phrase("false enter")
        case (.false, .exit): Phrase("false exit")
        case (.false, .dwell): Phrase("false dwell")
        }
    }
}

extension ComparedTransition.Reason: Named {
    /// One to three words.
    package var phrase: Phrase {
        switch self {
        case .locationOff: Phrase("location off")
        case .authorization: Phrase("authorization")
        case .orphanedIdentifier: Phrase("orphaned identifier")
        case .notRegistered: Phrase("not registered")
        case .drifted: Phrase("drifted")
        case .notificationOff: Phrase("notification off")
        case .throttled: Phrase("throttled")
        case .duplicate: Phrase("duplicate")
        case .nearBoundary: Phrase("near the boundary")
        case .logGap: Phrase("gap in the log")
        case .trackGap: Phrase("gap in the track")
        case .unexplained: Phrase("unexplained")
        }
    }
}
