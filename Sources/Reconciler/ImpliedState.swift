import Geodesy
import Model
import Registry

extension DeviceContext {
    /// Whether the newest fix shows a region's state so reliably that a request for it would show nothing new: the device is
    /// outside a geofence without an open visit, inside a geofence with an open visit, or inside the sentinel, and was too far
    /// from the boundary to have crossed it since the fix.
    func impliesState(of region: Region, at now: Instant, _ profile: PlatformProfile) -> Bool {
        guard let fix, fix.time <= now else { return false }
        let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(region.circle.center)).squareRoot()
        let radius = profile.usedRadius(region.circle.radius)
        let reach = uncertainty(at: now)
        let isInside = EarthVector.longestGeodesic(chord: chord) + reach <= radius
        let isOutside = chord - reach > radius
        if region.id == .sentinel { return isInside }
        guard let id = region.id.geofence else { return false }
        return openVisits.contains(id) ? isInside : isOutside
    }

    /// How far the device may be from its newest fix at a moment, in meters. Infinite without a fix.
    func uncertainty(at now: Instant) -> Double {
        guard let fix else { return .infinity }
        return 2 * fix.accuracyOrZero + (1.5 * speed + 1) * max(0, now - fix.time)
    }

    /// The highest speed in meters per second that the fixes of the last two minutes imply. A single fix is not enough: a
    /// standing device may start to move at once, so a high speed is assumed then.
    private var speed: Double {
        guard let fix else { return 0 }
        var implied: Double?
        var next = fix
        for before in fixes.reversed().dropFirst() {
            guard next.time - before.time >= 1 else { continue }
            let chord = EarthVector(next.coordinate).chordSquared(to: EarthVector(before.coordinate)).squareRoot()
            implied = max(implied ?? 0, chord / (next.time - before.time))
            guard fix.time - before.time < 120 else { break }
            next = before
        }
        return max(implied ?? Self.unknownSpeed, fix.speed ?? 0)
    }

    /// Meters per second: 144 km/h.
    private static var unknownSpeed: Double { 40 }
}
