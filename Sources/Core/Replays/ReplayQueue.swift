import Model
import Store

/// The devices with late fixes that are waiting for a replay.
package struct ReplayQueue {
    private struct Wait {
        /// When the first and the last late fix arrived.
        var first, last: Instant
        /// The number of late fixes that have arrived. Those of an earlier run are not counted.
        var fixes = 0
        /// Whether it was reported that the device waits for long.
        var isReported = false
    }

    private var waiting: [DeviceKey: Wait] = [:]
    /// The devices that are not replayed again soon, because their last replay was long: when it ended, and how many seconds to wait.
    private var pauses: [DeviceKey: (since: Instant, seconds: Double)] = [:]

    /// `quiet`: seconds without another late fix after which a device is replayed. `longest`: the maximum number of seconds to wait after
    /// the first late fix.
    private static let quiet = 2.0
    private static let longest = 30.0
    /// Seconds after which it is reported that a device waits.
    private static let reportAfter = 60.0
    /// After a replay, the next one of the same device waits a second for each so many fixes that were evaluated, and an hour at most. So a
    /// device that sends one very old fix after another keeps the service busy for some thousandths of its time.
    private static let fixesPerSecond = 1000.0
    private static let longestPause = 3600.0
    /// Seconds to wait after it was found that fixes of a device cannot be evaluated.
    private static let pauseAfterSkip = 60.0

    /// - Parameter devices: Devices that have been waiting since an earlier run. They are due immediately.
    package init(_ devices: [DeviceKey], at now: Instant) {
        for device in devices { waiting[device] = Wait(first: now + -Self.longest, last: now + -Self.quiet) }
    }

    /// Records that a late fix of a device has arrived.
    package mutating func recordLateFix(of device: DeviceKey, at now: Instant) {
        waiting[device, default: Wait(first: now, last: now)].last = now
        waiting[device]?.fixes += 1
    }

    package mutating func remove(_ device: DeviceKey) { waiting[device] = nil }

    /// Records that a replay of a device has ended.
    ///
    /// - Parameters:
    ///   - fixes: The number of fixes that it evaluated; nil if none could be evaluated.
    ///   - hasNewFixes: Whether late fixes have arrived since it began.
    /// - Returns: The number of late fixes that have arrived before and were not counted yet.
    package mutating func recordReplay(of device: DeviceKey, fixes: Int?, hasNewFixes: Bool, at now: Instant) -> Int {
        let seconds = fixes.map { min(Double($0) / Self.fixesPerSecond, Self.longestPause) } ?? Self.pauseAfterSkip
        pauses = pauses.filter { isPausing($0.key, at: now) }
        if seconds > Self.quiet { pauses[device] = (now, seconds) }
        let wait = waiting.removeValue(forKey: device)
        if hasNewFixes { waiting[device] = Wait(first: now, last: now) }
        return wait?.fixes ?? 0
    }

    /// The device that is due and has waited longest.
    ///
    /// - Parameter now: Nil to treat all devices as due.
    package func next(at now: Instant?) -> DeviceKey? {
        waiting.lazy.filter { device, wait in
            guard let now else { return true }
            // The ranges make devices due immediately if the clock was set back.
            let isQuiet = !(0..<Self.quiet).contains(now - wait.last) || !(0..<Self.longest).contains(now - wait.first)
            return isQuiet && !isPausing(device, at: now)
        }
        .min { ($0.value.first, $0.key) < ($1.value.first, $1.key) }?.key
    }

    private func isPausing(_ device: DeviceKey, at now: Instant) -> Bool {
        pauses[device].map { (0..<$0.seconds).contains(now - $0.since) } ?? false
    }

    /// The devices that have waited for long, each once.
    ///
    /// - Parameter limit: The maximum number of devices.
    package mutating func takeLongWaiting(_ limit: Int, at now: Instant) -> [DeviceKey] {
        let found = waiting.lazy.filter { !$0.value.isReported && now - $0.value.first >= Self.reportAfter }.map(\.key).prefix(
            limit)
        for device in found { waiting[device]?.isReported = true }
        return found.sorted()
    }
}
