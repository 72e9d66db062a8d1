import Geodesy
import Model
import TestSupport

/// What a device reports of its way, second by second: positions with noise that changes slowly, some wild ones, stretches of
/// coarse ones, and gaps.
struct Receiver: Sendable {
    /// A position that could be reported.
    struct Reading: Sendable {
        var second: Int
        var point: Point
        /// As the device says it: metres, 68 %.
        var accuracy: Double
        /// Neither wild nor coarse.
        var isPlain: Bool
    }

    /// In order; none in gaps.
    private(set) var readings: [Reading] = []
    /// The standard deviation of the noise on each axis at each second, in metres.
    private(set) var sigmas: [Double] = []
    /// The second to which the device's interval is counted.
    private let phase: Int

    /// The 68 % radius of two axes with a standard deviation of 1: √(−2 ln 0.32).
    static let radius68 = 1.5096

    /// What can be left out, to see what it does. The rest stays as it is.
    enum Trouble: String, CaseIterable, Sendable {
        case outliers, coarse, gaps
    }

    /// Metres that hold 68 % of the noise: from a good fix by satellites to one by wireless networks.
    static let usualNoise = 5.0...65.0

    /// - Parameter radii: Metres that hold 68 % of the noise.
    init(_ path: [Point], without left: Set<Trouble> = [], radii: ClosedRange<Double> = usualNoise, seed: UInt64) {
        var random = SeededRandom(seed: seed)
        phase = Int.random(in: 0..<3600, using: &random)
        sigmas.reserveCapacity(path.count)
        readings.reserveCapacity(path.count)
        var noise = Noise(radii, &random)
        var coarse = Coarseness(&random)
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
                let claim = random.isTrue(0.5) ? distance * random.uniform(0.7...1.5) : random.uniform(5...25)
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

    /// The readings of a device that reports every so many seconds.
    func readings(every interval: Int) -> [Reading] {
        interval == 1 ? readings : readings.filter { ($0.second + phase) % interval == 0 }
    }
}

/// Noise of the first order of Gauss and Markov on both axes.
private struct Noise {
    private var unit: Point
    private let radii: ClosedRange<Double>
    /// The natural logarithm of the standard deviation goes from one to the next over a stretch.
    private var levels: (from: Double, to: Double)
    private var stretch: (second: Double, length: Double)
    /// Seconds over which the noise is alike.
    private var memory: Double
    /// How much the device over- or understates its accuracy.
    private var misreport = 1.0

    /// - Parameter radii: Metres that hold 68 % of it.
    init(_ radii: ClosedRange<Double>, _ random: inout SeededRandom) {
        self.radii = radii
        unit = Point(random.normal(), random.normal())
        let level = log(random.logUniform(radii) / Receiver.radius68)
        levels = (level, level)
        stretch = (0, 0)
        memory = 40
    }

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

    var sigma: Double { exp(levels.from + (levels.to - levels.from) * min(1, stretch.second / stretch.length)) }
    var offset: Point { unit * sigma }
    var claim: Double { sigma * Receiver.radius68 * misreport }
}

/// Stretches in which a device knows only roughly where it is, as by the cells of a telephone network.
private struct Coarseness {
    private var stretches: Stretches
    private var unit: Point
    private(set) var isNow = false
    private(set) var accuracy = 0.0

    init(_ random: inout SeededRandom) {
        stretches = Stretches(every: 7200, lasting: 60...600, &random)
        unit = Point(random.normal(), random.normal())
    }

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

/// Stretches of time that come at random.
private struct Stretches {
    private let spacing: Double
    private let length: ClosedRange<Double>
    /// Seconds until it begins, or ends.
    private var left: Double
    private var isNow = false

    /// - Parameters:
    ///   - spacing: Seconds from the end of one to the next, on average.
    ///   - length: Seconds, of which the logarithm is uniform.
    init(every spacing: Double, lasting length: ClosedRange<Double>, _ random: inout SeededRandom) {
        self.spacing = spacing
        self.length = length
        left = -spacing * log(random.uniform(1e-9...1))
    }

    /// Whether the next second lies in one.
    mutating func step(_ random: inout SeededRandom) -> Bool {
        left -= 1
        if left <= 0 {
            isNow.toggle()
            left = isNow ? random.logUniform(length) : -spacing * log(random.uniform(1e-9...1))
        }
        return isNow
    }
}
