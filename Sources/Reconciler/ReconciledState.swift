import Geodesy
import Model
import Registry

/// A region state reported by the operating system that contradicts the recorded visits of a device. The transition engine may turn it into
/// an event with the cause `reconciled`.
public struct ReconciledState: Hashable, Sendable {
    /// The geofence's id.
    public var geofenceID: String
    /// Where the operating system says that the device is: `inside` or `outside`.
    public var state: RegionState
    /// When the operating system reported the state; never before the device's last fix.
    public var at: Instant

    /// Creates a contradiction from its parts.
    public init(geofenceID: String, state: RegionState, at: Instant) {
        self.geofenceID = geofenceID
        self.state = state
        self.at = at
    }
}

extension ReconciledState: JSONWritable {
    package static let output = JSONOutput<ReconciledState>(
        "ReconciledState", summary: "A region state that contradicts the recorded visits of a device",
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceID),
        .init("state", kind: .word, summary: "The state that the operating system reported", content: \.state),
        .init("at", kind: .time, summary: "When it was reported", content: \.at))
}

extension DeviceContext {
    /// The contradiction between an enter or exit that the operating system reported and the recorded visits. Nil if the report agrees with
    /// the visits, is older than the last fix, or concerns no geofence of Picket. If the same report arrives twice, only the first one
    /// contradicts, provided that it was recorded in between.
    public func contradiction(of report: RegistryReport) -> ReconciledState? {
        switch report.kind {
        case .entered: contradiction(of: .inside, of: report.region, at: report.at)
        case .exited: contradiction(of: .outside, of: report.region, at: report.at)
        case .failed: nil
        }
    }

    /// The contradictions between several reports of a phone's operating system and the recorded visits, in order of time.
    ///
    /// A report counts if it is newer than the last fix, and is based on a newer one. A report that is based on the last fix adds
    /// nothing to the fixes, whose evaluation may still wait for another fix.
    ///
    /// - Parameters:
    ///   - reports: The reports of one phone.
    ///   - added: Regions that were added, and whose state was not reported since. A report about one of them is equivalent to
    ///     the answer to a request for its state, so it may be based on the last fix.
    public func contradictions(of reports: [RegistryReport], added: Set<RegionID> = []) -> [ReconciledState] {
        var context = self
        var found: [ReconciledState] = []
        for report in reports.sorted(by: { $0.at < $1.at }) {
            if let fix {
                guard report.at > fix.time else { continue }
                if let basis = report.fix?.time, basis < fix.time || basis == fix.time && !added.contains(report.region) {
                    continue
                }
            }
            guard let contradiction = context.contradiction(of: report) else { continue }
            found.append(contradiction)
            context.apply(contradiction)
        }
        return found
    }

    /// Changes the open visits as the event of a contradiction does.
    public mutating func apply(_ contradiction: ReconciledState) {
        if contradiction.state == .inside {
            openVisits.insert(contradiction.geofenceID)
        } else {
            openVisits.remove(contradiction.geofenceID)
        }
    }

    /// The contradiction between a region's state at a moment and the recorded visits; nil if there is none.
    func contradiction(of state: RegionState, of region: RegionID, at moment: Instant) -> ReconciledState? {
        guard state != .unknown, let fence = region.geofence, fix.map({ $0.time <= moment }) ?? true,
            openVisits.contains(fence) != (state == .inside)
        else { return nil }
        return ReconciledState(geofenceID: fence, state: state, at: moment)
    }
}

extension RegionCandidates.RegionCandidate {
    /// Whether a region's state is reliable evidence for the geofence where the fixes alone leave the answer open.
    ///
    /// If the watched circle is larger than the geofence (for a polygon or a very small circle), the state `inside` proves nothing. If the
    /// newest fix is closer to the boundary than its accuracy and the operating system's exit buffer allow, the state proves nothing
    /// either: the engine then keeps its state until the next fix.
    public func isEvidence(_ state: RegionState, beside fix: Fix?, _ profile: PlatformProfile) -> Bool {
        if state == .inside, watchability != .well { return false }
        guard let fix else { return true }
        let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(circle.center)).squareRoot()
        let isSurelyInside = EarthVector.longestGeodesic(chord: chord) + fix.accuracyOrZero <= circle.radius
        let isSurelyOutside = chord - fix.accuracyOrZero > profile.usedRadius(circle.radius) + profile.exitBuffer
        return isSurelyInside || isSurelyOutside
    }
}
