import Geodesy
import Model
import Registry

/// What a phone's operating system would report along a track with every region registered and healthy, without a limit.
///
/// It decides as `SimulatedOS` does for one region, and a test compares both over random tracks. The regions of such a phone do
/// not influence each other, so each is evaluated alone, and fixes that are too far from its boundary to matter are skipped.
/// 100,000 regions on a track of thousands of fixes take seconds instead of hours.
package struct FullyRegisteredPhone: Sendable {
    package let profile: PlatformProfile
    /// In order of time.
    package let fixes: [Fix]
    private let places: [EarthVector]
    /// For each fix, the sum of the chords between the fixes up to it, in meters.
    private let travelled: [Double]

    /// Seconds after the last fix for which the phone still reports.
    package static let patience = 600.0

    /// - Parameter fixes: In order of time.
    package init(_ profile: PlatformProfile, fixes: [Fix]) {
        self.profile = profile
        self.fixes = fixes
        places = fixes.map { EarthVector($0.coordinate) }
        var sum = 0.0
        var travelled: [Double] = []
        travelled.reserveCapacity(fixes.count)
        for index in places.indices {
            if index > 0 { sum += places[index].chordSquared(to: places[index - 1]).squareRoot() + EarthVector.roundingError }
            travelled.append(sum)
        }
        self.travelled = travelled
    }

    /// The span of the track; nil without fixes.
    package var span: ClosedRange<Instant>? {
        guard let first = fixes.first, let last = fixes.last else { return nil }
        return first.time...last.time
    }

    /// Whether the device is inside a circle at its first fix. A real phone does not notify the app of this.
    package func startsInside(_ circle: Circle) -> Bool {
        guard let first = places.first else { return false }
        return isInside(first, EarthVector(circle.center), within: profile.usedRadius(circle.radius))
    }

    /// The enters and exits of a circle, in order of time. They alternate. If the device is inside at its first fix, that is not
    /// an enter.
    ///
    /// - Complexity: O(k log n) for n fixes, of which k are near the boundary.
    package func transitions(of circle: Circle) -> [ReferenceTransition] {
        guard fixes.count > 1 else { return [] }
        let center = EarthVector(circle.center)
        let radius = profile.usedRadius(circle.radius)
        let outer = radius + profile.exitBuffer
        let patience = profile.reportDelay.lowerBound
        var found: [ReferenceTransition] = []
        var isIn = isInside(places[0], center, within: radius)
        /// The last fix inside the circle.
        var lastInside = 0
        /// The first fix of a change that is not reported yet.
        var changed: Int?

        func report(_ change: Int) {
            let earliest = isIn ? fixes[lastInside].time : fixes[change - 1].time
            isIn.toggle()
            found.append(ReferenceTransition(isEnter: isIn, at: fixes[change].time + patience, earliest: earliest))
            changed = nil
        }

        var index = skip(from: 0, center, radius: radius, outer: outer)
        if isIn { lastInside = index - 1 }
        while index < fixes.count {
            let time = fixes[index].time
            if let change = changed, fixes[change].time + patience <= time { report(change) }
            let isWithin = isInside(places[index], center, within: radius)
            let isSeenIn = isIn ? isInside(places[index], center, within: outer) : isWithin
            if isSeenIn == isIn {
                changed = nil
            } else if changed == nil {
                changed = index
                if patience == 0 { report(index) }
            }
            let next = skip(from: index, center, radius: radius, outer: outer)
            if isWithin { lastInside = next - 1 }
            index = next
        }
        if let change = changed, let last = fixes.last, fixes[change].time + patience <= last.time + Self.patience {
            report(change)
        }
        return found
    }

    /// The shortest distance in meters from the track to the boundary of a circle within a period: negative inside. Nil if the track has
    /// no fix in the period.
    package func nearestApproach(to circle: Circle, during period: ClosedRange<Instant>) -> Double? {
        let center = EarthVector(circle.center)
        let radius = profile.usedRadius(circle.radius)
        var nearest: Double?
        var index = firstFix(from: period.lowerBound)
        while index < fixes.count, fixes[index].time <= period.upperBound {
            let distance = places[index].chordSquared(to: center).squareRoot() - radius
            if distance.magnitude < nearest?.magnitude ?? .infinity { nearest = distance }
            index += 1
        }
        return nearest
    }

    /// The seconds between the fixes before and after a moment; infinite outside of the track.
    package func gap(at moment: Instant) -> Double {
        let next = firstFix(from: moment)
        guard next < fixes.count else { return .infinity }
        if fixes[next].time == moment { return 0 }
        return next == 0 ? .infinity : fixes[next].time - fixes[next - 1].time
    }

    // MARK: - Searching

    private func isInside(_ place: EarthVector, _ center: EarthVector, within radius: Double) -> Bool {
        EarthVector.longestGeodesic(chord: place.chordSquared(to: center).squareRoot()) <= radius
    }

    /// The number of the first fix at or after a moment.
    private func firstFix(from moment: Instant) -> Int { fixes.partitioningIndex { $0.time >= moment } }

    /// The next fix that can be on the other side of the boundary. The device cannot have moved farther than the sum of the
    /// chords.
    private func skip(from index: Int, _ center: EarthVector, radius: Double, outer: Double) -> Int {
        let chord = places[index].chordSquared(to: center).squareRoot()
        // The geodesic is longer than its chord, so that a chord longer than the radius is outside. By sin x ≥ x − x³/6, the geodesic of a
        // chord of at most r (1 − (r/2R)²/6) is not longer than r.
        let ratio = radius / (2 * WGS84.smallestCurvatureRadius)
        let margin = max(chord - outer, radius * (1 - ratio * ratio / 6) - chord) - 0.001
        guard margin > 0 else { return index + 1 }
        let limit = travelled[index] + margin
        return travelled[(index + 1)...].partitioningIndex { $0 >= limit }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The index of the first element that fulfills a condition. All elements after it must fulfill the condition, too.
    ///
    /// - Complexity: O(log n).
    package func partitioningIndex(where isAfter: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The element before the first one that fulfills a condition. All elements after that one must fulfill the condition, too.
    ///
    /// - Complexity: O(log n).
    package func element(beforeFirst isAfter: (Element) -> Bool) -> Element? {
        let next = partitioningIndex(where: isAfter)
        return next > startIndex ? self[next - 1] : nil
    }
}
