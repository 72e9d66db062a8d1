import Geodesy
import Model

/// When which device's registrations are looked at, and repaired if need be: regularly, sooner when something has happened, after
/// failures with the waits of `Backoff`, and never many at once.
///
/// It does nothing itself and knows no clock: what happens goes in, and the devices that are due come out.
public struct RepairSchedule: Sendable {
    /// How often, and how many.
    public struct Pace: Sendable {
        /// Seconds from one look at a device to the next when nothing happens; shortened by up to a tenth, so that devices spread.
        public var every = 900.0
        /// Seconds from a look at which all was well to the next at the least, whatever happens.
        public var least = 30.0
        /// Metres: a device that has moved so far since it was last looked at is due.
        public var far = 1000.0
        /// So many devices are looked at at once, at most.
        public var atOnce = 4

        public init() {}
    }

    /// What a look came to.
    public enum Outcome: Sendable {
        /// All is well, or what is not only a person can change.
        case settled
        /// There was no answer, or something is left to be repaired.
        case failed
    }

    private struct Watched {
        var due: Instant
        /// Not before this moment, whatever happens.
        var restsUntil: Instant
        var place: EarthVector?
        /// Where it was when it was last looked at.
        var placeThen: EarthVector?
        var failures = 0
        var failedAt: Instant?
        /// Whether a sign of life has ended the wait after the last failure.
        var isWoken = false
        /// Whether a sign of life may end the wait after the last failure.
        var mayBeWoken = true
        var isRunning = false
        /// Whether something happened while it was being looked at.
        var isCalled = false
    }

    private let pace: Pace
    private var watched: [String: Watched] = [:]

    public init(_ pace: Pace = Pace()) { self.pace = pace }

    /// How many devices are being looked at.
    public var runningCount: Int { watched.values.count { $0.isRunning } }

    // MARK: - What happens

    /// These devices, by id, are repaired automatically, and no others. New ones are due at once.
    public mutating func watch(_ devices: [String], at now: Instant) {
        let wanted = Set(devices)
        // One that is being looked at stays until that has ended.
        watched = watched.filter { wanted.contains($0.key) || $0.value.isRunning }
        for id in devices where watched[id] == nil { watched[id] = Watched(due: now, restsUntil: now) }
    }

    /// A fix came of a device. It is due when that is far from where it was last looked at, or when it was waited for after a failure.
    public mutating func moved(_ id: String, to place: Coordinate, at now: Instant) {
        guard watched[id] != nil else { return }
        endWait(id, at: now)
        let place = EarthVector(place)
        watched[id]?.place = place
        guard let then = watched[id]?.placeThen else {
            watched[id]?.placeThen = place
            return
        }
        if place.chordSquared(to: then) > pace.far * pace.far { call(id, at: now) }
    }

    /// A device has reported trouble, or left its sentinel.
    public mutating func troubled(_ id: String, at now: Instant) {
        endWait(id, at: now)
        call(id, at: now)
    }

    /// Ends a wait after a failure, because the device shows that it lives. Should it fail again, the next wait lasts as long as it
    /// should: one that lives and fails all the same is not looked at with every sign of life.
    private mutating func endWait(_ id: String, at now: Instant) {
        guard var device = watched[id], let failedAt = device.failedAt, !device.isRunning, device.mayBeWoken else { return }
        (device.isWoken, device.mayBeWoken) = (true, false)
        device.restsUntil = min(device.restsUntil, max(now, failedAt + Self.shortestWait))
        device.due = device.restsUntil
        watched[id] = device
    }

    /// Seconds from a failure to the next look at the least.
    private static let shortestWait = 1.0

    /// Geofences were changed: any device may need other registrations.
    public mutating func geofencesChanged(at now: Instant) { for id in watched.keys { call(id, at: now) } }

    private mutating func call(_ id: String, at now: Instant) {
        guard var device = watched[id] else { return }
        if device.isRunning { device.isCalled = true }
        device.due = min(device.due, max(now, device.restsUntil))
        watched[id] = device
    }

    // MARK: - What is to do

    /// The devices to look at now, the longest due first. They count as running until they have finished.
    ///
    /// - Complexity: O(n) for n devices.
    public mutating func begin(at now: Instant) -> [String] {
        // Nobody waits longer than that, unless the clock was set back.
        let latest = now + max(pace.every, Backoff.longest)
        for (id, device) in watched where device.due > latest || device.restsUntil > latest {
            watched[id]?.due = now
            watched[id]?.restsUntil = now
        }
        let due = watched.filter { !$0.value.isRunning && $0.value.due <= now }
        let order = due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.key)
        let begun = order.prefix(max(0, pace.atOnce - runningCount))
        for id in begun {
            guard var device = watched[id] else { continue }
            device.isRunning = true
            device.isCalled = false
            device.placeThen = device.place
            watched[id] = device
        }
        return Array(begun)
    }

    /// A device that was begun has been looked at.
    ///
    /// - Parameter jitter: By how much of the most the next wait is shortened: 0 … 1.
    public mutating func finished(_ id: String, _ outcome: Outcome, at now: Instant, jitter: Double) {
        guard var device = watched[id] else { return }
        device.isRunning = false
        switch outcome {
        case .settled:
            device.failures = 0
            device.failedAt = nil
            (device.isWoken, device.mayBeWoken) = (false, true)
            device.restsUntil = now + pace.least
            device.due = device.isCalled ? device.restsUntil : now + pace.every * (1 - jitter / 10)
        case .failed:
            device.failures += 1
            device.failedAt = now
            (device.isWoken, device.mayBeWoken) = (false, !device.isWoken)
            device.restsUntil = now + Backoff.delay(after: device.failures, jitter: jitter)
            device.due = device.restsUntil
        }
        watched[id] = device
    }
}
