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

    /// Makes a contradiction from its parts.
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

    /// The contradiction between a region's state at a moment and the recorded visits; nil if there is none.
    func contradiction(of state: RegionState, of region: RegionID, at moment: Instant) -> ReconciledState? {
        guard state != .unknown, let fence = region.geofence, fix.map({ $0.time <= moment }) ?? true,
            openVisits.contains(fence) != (state == .inside)
        else { return nil }
        return ReconciledState(geofenceID: fence, state: state, at: moment)
    }
}

extension FenceCatalog.CatalogFence {
    /// Whether a region's state is reliable evidence for the geofence where the fixes alone leave the answer open.
    ///
    /// If the watched circle is larger than the geofence (for a polygon or a very small circle), the state `inside` proves nothing. If the
    /// newest fix is closer to the boundary than its accuracy and the operating system's exit cushion allow, the state proves nothing
    /// either: the engine then keeps its state until the next fix.
    public func isEvidence(_ state: RegionState, beside fix: Fix?, _ profile: PlatformProfile) -> Bool {
        if state == .inside, watchability != .well { return false }
        guard let fix else { return true }
        let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(circle.center)).squareRoot()
        let isSurelyInside = EarthVector.longestGeodesic(chord: chord) + fix.accuracyOrZero <= circle.radius
        let isSurelyOutside = chord - fix.accuracyOrZero > profile.usedRadius(circle.radius) + profile.exitCushion
        return isSurelyInside || isSurelyOutside
    }
}
