import TestSupport

/// When a device that saves its battery reports a position.
enum ReportingPattern: Hashable, Sendable {
    /// Every so many seconds, give or take some.
    case every(Int)
    /// Once on arrival, and on the way after each 500 m, at most every five minutes: as a phone that waits for significant changes.
    case significantChanges
    /// Every minute on the way, and every half hour at rest.
    case movingOrAtRest
    /// Every five minutes a position from the cells of a telephone network, and seconds later a precise one.
    case coarseAndPrecise

    static let all: [ReportingPattern] =
        [1, 5, 15, 30, 60].map { .every($0 * 60) } + [.significantChanges, .movingOrAtRest, .coarseAndPrecise]

    var name: String {
        switch self {
        case .every(let seconds): "every \(seconds / 60) min"
        case .significantChanges: "significant changes"
        case .movingOrAtRest: "every minute on the way, every 30 min at rest"
        case .coarseAndPrecise: "coarse and precise, every 5 min"
        }
    }

    /// The readings that a device reports, in order of time, out of one for each second of a path.
    func readings(_ path: [Point], _ all: [Receiver.Reading], seed: UInt64) -> [Receiver.Reading] {
        var random = SeededRandom(seed: seed)
        var reported: [Receiver.Reading] = []
        /// Seconds until the next regular report.
        var wait = 0
        /// Seconds since the device last moved; it arrives when this reaches `arrival`.
        var rest = 0
        var arrival = 45
        var precise = false
        for reading in all {
            let second = reading.second
            let moves = second > 0 && path[second] != path[second - 1]
            if moves, rest > 0 { arrival = Int.random(in: 20...90, using: &random) }
            rest = moves ? 0 : rest + 1
            wait -= 1
            switch self {
            case .every(let seconds):
                guard wait <= 0 else { continue }
                wait = seconds + Int.random(in: -4...4, using: &random)
                reported.append(reading)
            case .movingOrAtRest:
                guard wait <= 0 || moves && wait > 60 else { continue }
                wait = (moves ? 60 : 1800) + Int.random(in: -4...4, using: &random)
                reported.append(reading)
            case .significantChanges:
                let last = reported.last
                let isFar = last.map { (path[second] - path[$0.second]).length >= 500 && second - $0.second >= 300 } ?? true
                let hasArrived = rest == arrival && last.map { path[second] != path[$0.second] } ?? true
                if isFar || hasArrived { reported.append(reading) }
            case .coarseAndPrecise:
                guard wait <= 0 else { continue }
                precise.toggle()
                wait = precise ? Int.random(in: 2...30, using: &random) : 300
                if precise {
                    reported.append(reading.coarse(at: path[second], accuracy: random.logUniform(300...3000), &random))
                } else {
                    reported.append(reading)
                }
            }
        }
        return reported
    }
}

extension Receiver.Reading {
    /// A position from the cells of a telephone network at the same second, as accurate as it says.
    fileprivate func coarse(at place: Point, accuracy: Double, _ random: inout SeededRandom) -> Receiver.Reading {
        Receiver.Reading(
            second: second, point: place + Point(random.normal(), random.normal()) * (accuracy / Receiver.radius68),
            accuracy: accuracy, isPlain: false)
    }
}
