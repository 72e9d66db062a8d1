import Geodesy
import Model
import Registry

/// A region state that contradicts what was told of a device: handed to the engine, which may make an event with cause
/// `reconciled` of it.
public struct ReconciledState: Hashable, Sendable {
    public var geofenceID: String
    public var state: RegionState
    /// When the system said so; not before the device's last fix.
    public var at: Instant

    public init(geofenceID: String, state: RegionState, at: Instant) {
        self.geofenceID = geofenceID
        self.state = state
        self.at = at
    }
}

extension DeviceContext {
    /// What an enter or exit that the system told by itself contradicts; nil when it agrees with what was told of the device, is
    /// older than the last fix, or is about no fence of ours. Of two equal reports only the first contradicts, if the first was
    /// recorded.
    public func contradiction(of report: RegistryReport) -> ReconciledState? {
        switch report.kind {
        case .entered: contradiction(of: .inside, of: report.region, at: report.at)
        case .exited: contradiction(of: .outside, of: report.region, at: report.at)
        case .failed: nil
        }
    }

    func contradiction(of state: RegionState, of region: RegionID, at moment: Instant) -> ReconciledState? {
        guard state != .unknown, let fence = region.geofence, fix.map({ $0.time <= moment }) ?? true,
            openVisits.contains(fence) != (state == .inside)
        else { return nil }
        return ReconciledState(geofenceID: fence, state: state, at: moment)
    }
}

extension FenceCatalogue.Entry {
    /// Whether what the system says of a region says something of the fence that the fixes leave open.
    ///
    /// The circle that is watched may be larger than the fence (a polygon's, a small one's): then being inside proves nothing. And
    /// where the newest fix lies too near to the edge to be sure, within its accuracy and the system's cushion, the engine
    /// holds what it knows for a good reason, and another fix will tell.
    public func proves(_ state: RegionState, beside fix: Fix?, _ profile: PlatformProfile) -> Bool {
        if state == .inside, watchability != .well { return false }
        guard let fix else { return true }
        let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(circle.center)).squareRoot()
        let isSurelyInside = EarthVector.longestGeodesic(chord: chord) + fix.reckonedAccuracy <= circle.radius
        let isSurelyOutside = chord - fix.reckonedAccuracy > profile.usedRadius(circle.radius) + profile.exitCushion
        return isSurelyInside || isSurelyOutside
    }
}
