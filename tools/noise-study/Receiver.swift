import Foundation
import Geodesy
import Model
import TestSupport

/// The simulated positioning of a device, with a reading for each second of its path: noise that changes slowly, occasional outliers,
/// stretches of coarse positions, and gaps.
struct Receiver: Sendable {
    /// A position that the device can report.
    struct Reading: Sendable {
        /// Seconds since the start of the journey.
        var second: Int
        var point: Point
        /// The accuracy that the device states: the radius in meters of the circle that contains the true position with a probability of 68
        /// %.
        var accuracy: Double
        /// Whether the position is neither an outlier nor coarse.
        var isPlain: Bool
    }

    /// The readings in order of time. There are none in gaps.
    private(set) var readings: [Reading] = []
    /// The standard deviation in meters of the noise on each axis, at each second.
    private(set) var sigmas: [Double] = []
    /// A random offset in seconds that decides at which seconds a device with an interval reports.
    private let phase: Int

    /// The radius of the circle that contains 68 % of a normal distribution with a standard deviation of 1 on both axes: √(−2 ln 0.32).
    static let radius68 = 1.5096

    /// The errors that can be left out of the simulation, to measure their effect. Leaving one out does not change the random numbers of
    /// the others.
    enum ErrorSource: String, CaseIterable, Sendable {
        case outliers, coarse, gaps
    }

    /// The range in meters of the radius that contains 68 % of the noise: from a good fix by satellites to a fix by wireless networks.
    static let usualNoise = 5.0...65.0

    /// Simulates the readings along a path.
    ///
    /// - Parameters:
    ///   - path: The true position at each second.
    ///   - left: The errors to leave out.
    ///   - radii: The range in meters from which the radius is drawn that contains 68 % of the noise.
    ///   - plausibleOutliers: The share of the outliers that state a good accuracy.
    ///   - seed: The seed of the random numbers.
    init(
        _ path: [Point], without left: Set<ErrorSource> = [], radii: ClosedRange<Double> = usualNoise,
        plausibleOutliers: Double = 0.5, seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        phase = Int.random(in: 0..<3600, using: &random)
        sigmas.reserveCapacity(path.count)
        readings.reserveCapacity(path.count)
        var noise = Noise(radii, &random)
        var coarse = CoarseStretches(&random)
        var gap = Stretches(every: 7200, lasting: 60...1200, &random)
        for (second, place) in path.enumerated() {
            noise.step(&random)
            coarse.step(&random)
            sigmas.append(noise.sigma)
            if gap.step(&random), !left.contains(.gaps) { continue }
            var reading = Reading(second: second, point: place, accuracy: 0, isPlain: false)
            if random.isTrue(0.01) {
                let distance = random.logUniform(300...5000)
                let wild = Point(angle: random.angle(), length: distance)
                let claim =
                    random.isTrue(1 - plausibleOutliers) ? distance * random.uniform(0.7...1.5) : random.uniform(5...25)
                if left.contains(.outliers) { continue }
                reading.point += wild
                reading.accuracy = claim
            } else if coarse.isNow, !left.contains(.coarse) {
                reading.point += coarse.offset
                reading.accuracy = coarse.accuracy
            } else {
                reading.point += noise.offset
                reading.accuracy = noise.claim
                reading.isPlain = true
            }
            readings.append(reading)
        }
    }

    /// The readings of a device that reports once per interval of the given number of seconds.
    func readings(every interval: Int) -> [Reading] {
        interval == 1 ? readings : readings.filter { ($0.second + phase) % interval == 0 }
    }
}

/// A first-order Gauss–Markov process on both axes.
private struct Noise {
    private var unit: Point
    private let radii: ClosedRange<Double>
    /// The natural logarithm of the standard deviation at the start and at the end of the current stretch. Between them it is interpolated
    /// linearly.
    private var levels: (from: Double, to: Double)
    /// The seconds since the start of the current stretch, and the stretch's length in seconds.
    private var stretch: (second: Double, length: Double)
    /// The correlation time of the noise in seconds.
    private var memory: Double
    /// The factor by which the stated accuracy differs from the true one.
    private var misreport = 1.0

    /// - Parameter radii: The range in meters of the radius that contains 68 % of the noise.
    init(_ radii: ClosedRange<Double>, _ random: inout SeededRandom) {
        self.radii = radii
        unit = Point(random.normal(), random.normal())
        let level = log(random.logUniform(radii) / Receiver.radius68)
        levels = (level, level)
        stretch = (0, 0)
        memory = 40
    }

    /// Advances the noise by one second.
    mutating func step(_ random: inout SeededRandom) {
        if stretch.second >= stretch.length {
            stretch = (0, random.uniform(300...1200))
            levels = (levels.to, log(random.logUniform(radii) / Receiver.radius68))
            memory = random.uniform(20...60)
            misreport = max(0.5, min(2, exp(0.3 * random.normal())))
        }
        stretch.second += 1
        let kept = exp(-1 / memory)
        unit = unit * kept + Point(random.normal(), random.normal()) * (1 - kept * kept).squareRoot()
    }

    /// The current standard deviation on each axis in meters.
    var sigma: Double { exp(levels.from + (levels.to - levels.from) * min(1, stretch.second / stretch.length)) }
    /// The current error of the position in meters.
    var offset: Point { unit * sigma }
    /// The accuracy in meters that the device states now.
    var claim: Double { sigma * Receiver.radius68 * misreport }
}

/// Random stretches in which the device knows its position only roughly, for example from the cells of a telephone network.
private struct CoarseStretches {
    private var stretches: Stretches
    private var unit: Point
    private(set) var isNow = false
    private(set) var accuracy = 0.0

    init(_ random: inout SeededRandom) {
        stretches = Stretches(every: 7200, lasting: 60...600, &random)
        unit = Point(random.normal(), random.normal())
    }

    /// Advances by one second.
    mutating func step(_ random: inout SeededRandom) {
        let wasNow = isNow
        isNow = stretches.step(&random)
        guard isNow else { return }
        if !wasNow { accuracy = random.logUniform(300...3000) }
        let kept = wasNow ? exp(-1 / 120.0) : 0
        unit = unit * kept + Point(random.normal(), random.normal()) * (1 - kept * kept).squareRoot()
    }

    var offset: Point { unit * (accuracy / Receiver.radius68) }
}

/// Random stretches of time, separated by exponentially distributed pauses.
private struct Stretches {
    private let spacing: Double
    private let length: ClosedRange<Double>
    /// Seconds until the current stretch or pause ends.
    private var secondsLeft: Double
    private var isNow = false

    /// - Parameters:
    ///   - spacing: The mean number of seconds from the end of a stretch to the start of the next one.
    ///   - length: The range of a stretch's length in seconds. The logarithm of the length is uniformly distributed.
    init(every spacing: Double, lasting length: ClosedRange<Double>, _ random: inout SeededRandom) {
        self.spacing = spacing
        self.length = length
        secondsLeft = -spacing * log(random.uniform(1e-9...1))
    }

    /// Advances by one second and returns whether it lies in a stretch.
    mutating func step(_ random: inout SeededRandom) -> Bool {
        secondsLeft -= 1
        if secondsLeft <= 0 {
            isNow.toggle()
            secondsLeft = isNow ? random.logUniform(length) : -spacing * log(random.uniform(1e-9...1))
        }
        return isNow
    }
}
