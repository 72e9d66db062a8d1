import Geodesy
import Model

/// Schedules when each device's registrations are assessed, and repaired if necessary: periodically, earlier if something has happened,
/// after failures with the delays of `Backoff`, and only a few devices at once.
///
/// It performs nothing and has no clock: the caller passes in what happens, and gets the devices that are due.
package struct RepairSchedule: Sendable {
    /// The intervals and limits of a schedule.
    package struct Limits: Sendable {
        /// Seconds between assessments of a device if nothing happens; shortened by up to 10%, so that devices do not all become due
        /// together.
        package var interval = 900.0
        /// The minimum number of seconds between a healthy assessment and the next one, in any case.
        var shortestInterval = 30.0
        /// Meters by which a device has to move since the last assessment to become due.
        var farDistance = 1000.0
        /// The maximum number of devices that are processed at the same time.
        var mostAtOnce = 4

        package init() {}
    }

    /// The result of processing a device.
    enum Outcome: Sendable {
        /// The device is healthy, or only a person can fix the rest.
        case done
        /// There was no answer, or something still has to be repaired.
        case failed
    }

    /// The schedule of one device.
    private struct DeviceSchedule {
        var due: Instant
        /// The device is not assessed before this moment in any case.
        var restsUntil: Instant
        /// The device's newest position.
        var place: EarthVector?
        /// The position at the last assessment.
        var placeThen: EarthVector?
        var failures = 0
        var failedAt: Instant?
        /// Whether a sign of life has ended the delay after the last failure.
        var isWoken = false
        /// Whether a sign of life may end the delay after the last failure.
        var mayBeWoken = true
        var isRunning = false
        /// Whether something happened while the device was being processed.
        var isRequestedAgain = false
    }

    private let pace: Limits
    private var watched: [String: DeviceSchedule] = [:]

    init(_ pace: Limits) { self.pace = pace }

    /// The number of devices that are being processed.
    var runningCount: Int { watched.values.count { $0.isRunning } }

    // MARK: - Events

    /// Sets the ids of the devices that are repaired automatically. New devices are due immediately.
    mutating func setDevices(_ devices: [String], at now: Instant) {
        let wanted = Set(devices)
        // A device that is being processed stays until that has ended.
        watched = watched.filter { wanted.contains($0.key) || $0.value.isRunning }
        for id in devices where watched[id] == nil { watched[id] = DeviceSchedule(due: now, restsUntil: now) }
    }

    /// Handles a new fix of a device. The device becomes due if it has moved far since the last assessment, or if it was waiting after a
    /// failure.
    mutating func deviceMoved(_ id: String, to place: Coordinate, at now: Instant) {
        guard watched[id] != nil else { return }
        endWait(id, at: now)
        let place = EarthVector(place)
        watched[id]?.place = place
        guard let then = watched[id]?.placeThen else {
            watched[id]?.placeThen = place
            return
        }
        if place.chordSquared(to: then) > pace.farDistance * pace.farDistance { scheduleSoon(id, at: now) }
    }

    /// Handles a failed registration or an exit from the sentinel.
    mutating func registrationFailed(_ id: String, at now: Instant) {
        endWait(id, at: now)
        scheduleSoon(id, at: now)
    }

    /// Ends the delay after a failure early, because the device gave a sign of life. If it fails again, the next delay is not shortened: a
    /// device that is alive but keeps failing must not be assessed at every sign of life.
    private mutating func endWait(_ id: String, at now: Instant) {
        guard var device = watched[id], let failedAt = device.failedAt, !device.isRunning, device.mayBeWoken else { return }
        (device.isWoken, device.mayBeWoken) = (true, false)
        device.restsUntil = min(device.restsUntil, max(now, failedAt + Self.shortestWait))
        device.due = device.restsUntil
        watched[id] = device
    }

    /// The minimum number of seconds between a failure and the next assessment.
    private static let shortestWait = 1.0

    /// Handles a change of geofences: any device may need other registrations.
    mutating func geofencesChanged(at now: Instant) { for id in watched.keys { scheduleSoon(id, at: now) } }

    private mutating func scheduleSoon(_ id: String, at now: Instant) {
        guard var device = watched[id] else { return }
        if device.isRunning { device.isRequestedAgain = true }
        device.due = min(device.due, max(now, device.restsUntil))
        watched[id] = device
    }

    // MARK: - Starting and finishing

    /// Starts the devices that are due, those due the longest first, up to the limit. They count as running until
    /// `finished(_:_:at:jitter:)` is called.
    ///
    /// - Complexity: O(n log n) for n devices.
    mutating func startDue(at now: Instant) -> [String] {
        // A later due time is possible only if the clock was set back.
        let latest = now + max(pace.interval, Backoff.longestDelay)
        for (id, device) in watched where device.due > latest || device.restsUntil > latest {
            watched[id]?.due = now
            watched[id]?.restsUntil = now
        }
        let due = watched.filter { !$0.value.isRunning && $0.value.due <= now }
        let order = due.sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }.map(\.key)
        let begun = order.prefix(max(0, pace.mostAtOnce - runningCount))
        for id in begun {
            guard var device = watched[id] else { continue }
            device.isRunning = true
            device.isRequestedAgain = false
            device.placeThen = device.place
            watched[id] = device
        }
        return Array(begun)
    }

    /// Records that a started device was processed.
    ///
    /// - Parameter jitter: By which part of its maximum range the next interval is shortened, from 0 to 1.
    mutating func finished(_ id: String, _ outcome: Outcome, at now: Instant, jitter: Double) {
        guard var device = watched[id] else { return }
        device.isRunning = false
        switch outcome {
        case .done:
            device.failures = 0
            device.failedAt = nil
            (device.isWoken, device.mayBeWoken) = (false, true)
            device.restsUntil = now + pace.shortestInterval
            device.due = device.isRequestedAgain ? device.restsUntil : now + pace.interval * (1 - jitter / 10)
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
