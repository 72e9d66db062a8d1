import Model
import Store

/// Decides whether the time of the machine can be relied on.
///
/// It follows a *line*: the difference between the time of the machine and its uptime, which only changes when the clock is set. It performs
/// nothing and reads no clock: the caller passes in readings, and the times of positions as they arrive.
///
/// - The kernel reports that the clock is synchronized: the clock is right, even after it was set.
/// - Otherwise the clock is doubted while it is before the newest data in the store, and when it was set. In the latter case time continues
///   along the line, as if the clock had not been set. A service that starts again on a running machine knows the line from the store.
/// - A clock that is more than a day after the last moment at which it was relied on may be wrong, or the service may not have run. It is
///   doubted until a device confirms it, or for `patience` milliseconds in which no device has sent a position of the time between.
/// - A device confirms the clock when its positions arrive as they are made. The positions of a queue are near the clock for a moment only,
///   because they arrive faster than they were made.
/// - A position ahead of a clock that nothing has confirmed yet makes it doubted: the clock of the device may be wrong, or that of the
///   machine.
/// - A clock that was set is followed, without being confirmed, when a device repeats a position that is ahead of the line and not ahead of
///   the clock, or has done so before.
/// - A clock that was set is followed after `patience` milliseconds in which no device has confirmed the line.
struct ClockTrust {
    /// Why the clock cannot be relied on.
    enum Doubt: Hashable, Sendable {
        /// The store has data of this time, which is later.
        case beforeData(Instant)
        /// The clock was last relied on at this time, which is more than `longestPause` earlier.
        case longAfter(Instant)
        /// The clock was set by this number of seconds; negative if it was set back.
        case wasSet(Double)
        /// A device has sent a position that is this number of seconds ahead.
        case beforeDevice(String, Double)
    }

    /// The clocks of the machine at one moment.
    struct Reading {
        var wallTime: Instant
        /// In milliseconds.
        var uptime: Int64

        fileprivate var difference: Int64 { wallTime.milliseconds - uptime }
    }

    /// The time of a device's newest position in a request. The name is empty if the request names no device.
    struct DeviceTime {
        var device: String
        var time: Instant
    }

    /// Milliseconds by which the difference changes when the clock is set, at least. Smaller steps are followed.
    static let leastStep: Int64 = 60_000
    /// Milliseconds between the clock and the time of a position that agrees with it, at most. Half a step, so that a position cannot agree
    /// with the clock before and after it was set.
    static let agreement = leastStep / 2
    /// Milliseconds for which a device may have kept a position that is ahead of the line, if it confirms a clock that was set: a week.
    static let longestQueue: Int64 = 604_800_000
    /// The number of positions of a device that have to agree with the clock, and the milliseconds between them.
    static let confirmations = 3
    static let interval: Int64 = 10_000
    /// Milliseconds for which nothing is concluded from the positions of a device that sends a queue.
    private static let longestFlush: Int64 = 60_000
    /// Milliseconds for which a clock that was set is not followed without a confirmation: one day.
    static let patience: Int64 = 86_400_000
    /// Milliseconds for which a service may not have run without a doubt in a clock that nothing confirms: one day.
    static let longestPause: Int64 = 86_400_000
    /// Milliseconds by which a request may be delayed more than another one.
    private static let jitter: Int64 = 5_000
    /// The maximum number of devices whose positions are followed.
    private static let mostDevices = 10_000

    /// Why the clock cannot be relied on; nil if it can.
    private(set) var doubt: Doubt?
    /// The last doubt that has ended.
    private var formerDoubt: Doubt?
    /// Whether a time server or a device has confirmed the line.
    private(set) var isConfirmed: Bool
    /// The difference between time and uptime that is followed, in milliseconds.
    private var line: Int64
    /// Where the clock was set to, and the uptime from which on `patience` counts; nil while time and line agree.
    private var step: (line: Int64, since: Int64)?
    /// The newest time in the store at the start.
    private var newestData: Instant?
    /// The last time at which the clock was relied on before the start.
    private var lastTrusted: Instant?
    /// The uptime from which on `patience` counts for a doubt `longAfter`.
    private var longAfterSince: Int64 = 0
    /// The devices whose positions agree with the clock.
    private var agreeing: [String: Agreement] = [:]
    /// The latest line for which each device has sent a position ahead of the clock.
    private var claims: [String: Int64] = [:]

    /// A position that agrees with the clock.
    private struct Agreement {
        /// The time of the position, in milliseconds.
        var time: Int64
        /// When it arrived.
        var uptime: Int64
        /// Whether all positions of the device that agree are near the clock.
        var isNear: Bool
        /// How many positions of the device agree, `interval` after each other.
        var count = 1
        /// Until this uptime the device sends a queue.
        var flushUntil = Int64.min
    }

    init(_ reading: Reading, isSynchronized: Bool) {
        line = reading.difference
        isConfirmed = isSynchronized
    }

    /// Compares the clock with what the store knows. Call it once, at the start.
    ///
    /// - Parameters:
    ///   - newest: The newest time in the store.
    ///   - last: The last moment at which a service relied on the clock.
    ///   - boot: Identifies the time since the machine was started; empty if that is unknown.
    mutating func begin(after newest: Instant?, _ last: TrustedClock?, boot: String, _ reading: Reading) {
        newestData = newest
        lastTrusted = last?.time ?? newest
        if isConfirmed { return }
        if let last, !boot.isEmpty, last.boot == boot {
            // The machine was not started since, so that the line is known.
            lastTrusted = nil
            line = last.line
            _ = follow(reading, isSynchronized: { false })
            if doubt != nil { return }
        }
        compareWithStore(reading)
    }

    /// The line at a reading; nil while the clock is doubted.
    func trustedLine(at reading: Reading) -> Int64? { doubt == nil ? reading.difference : nil }

    /// The time at a reading: that of the machine, or that of the line while the clock was set and cannot be relied on.
    ///
    /// - Parameter isSynchronized: Called only when the clock was set or is doubted.
    mutating func follow(_ reading: Reading, isSynchronized: () -> Bool) -> Instant {
        let difference = reading.difference
        if abs(difference - line) < Self.leastStep {
            line = difference
            guard let doubt else { return reading.wallTime }
            if step != nil {
                // The clock was set back to what it was.
                end(doubt)
            } else if isSynchronized() {
                confirm(reading)
            } else if case .beforeData(let newest) = doubt, reading.wallTime >= newest {
                end(doubt)
            } else if case .longAfter = doubt, reading.uptime - longAfterSince >= Self.patience {
                end(doubt)
            }
            return reading.wallTime
        }
        if isSynchronized() {
            confirm(reading)
            return reading.wallTime
        }
        if step == nil, let doubt {
            switch doubt {
            case .beforeData, .longAfter:
                // The line was wrong.
                moveLine(to: reading, after: doubt)
                compareWithStore(reading)
                return reading.wallTime
            case .wasSet, .beforeDevice: break
            }
            if claims.values.contains(where: { (-Self.agreement...Self.longestQueue).contains(difference - $0) }) {
                moveLine(to: reading, after: doubt)
                return reading.wallTime
            }
        }
        if step.map({ abs($0.line - difference) >= Self.leastStep }) ?? true {
            step = (difference, reading.uptime)
            doubt = .wasSet(Double(difference - line) / 1000)
            agreeing.removeAll()
            claims.removeAll()
        }
        if let doubt, let step, reading.uptime - step.since >= Self.patience {
            moveLine(to: reading, after: doubt)
            return reading.wallTime
        }
        return Instant(milliseconds: line + reading.uptime)
    }

    /// The times of positions that confirm or contradict the clock; nil if it needs neither.
    func timesThatMatter(at reading: Reading) -> ClosedRange<Instant>? {
        if step != nil { return .earliest ... .latest }
        if case .longAfter = doubt { return .earliest ... .latest }
        if doubt == nil, isConfirmed { return nil }
        let margin = Double(Self.agreement) / 1000
        return reading.wallTime + -margin...reading.wallTime + margin
    }

    /// Evaluates the times of the positions of a request.
    ///
    /// - Parameters:
    ///   - times: The times of positions that were not refused.
    ///   - ahead: The times of positions that were refused because they are ahead of the clock.
    ///   - tolerance: Seconds by which a position may be ahead.
    /// - Returns: Why the refused positions may be right, so that they have to be kept by their sender; nil if they are wrong.
    mutating func evaluate(
        _ times: [DeviceTime], ahead: [DeviceTime], tolerance: Double, at reading: Reading, isSynchronized: () -> Bool
    ) -> Doubt? {
        let doubtBefore = doubt
        _ = follow(reading, isSynchronized: isSynchronized)
        if doubt != nil || !isConfirmed {
            let aheadDevices = Set(ahead.map(\.device))
            // What was refused may be the newest position of any device if its device is not known.
            let newest = aheadDevices.contains("") ? [] : times.filter { !aheadDevices.contains($0.device) }
            for time in newest + ahead { observe(time, reading) }
        }
        guard let first = ahead.first else { return nil }
        let now = follow(reading, isSynchronized: isSynchronized)
        // The clock was set between the reading of the positions and this moment.
        if ahead.contains(where: { $0.time <= now + tolerance }), let cause = doubt ?? doubtBefore ?? formerDoubt { return cause }
        if doubt == nil, !isConfirmed {
            if isSynchronized() {
                confirm(reading)
            } else {
                doubt = .beforeDevice(first.device, first.time - now)
            }
        }
        if doubt != nil, step == nil {
            if claims.count >= Self.mostDevices { claims.removeAll() }
            for position in ahead {
                let claim = position.time.milliseconds - reading.uptime
                claims[position.device] = max(claims[position.device] ?? claim, claim)
            }
        }
        return doubt
    }

    private mutating func observe(_ position: DeviceTime, _ reading: Reading) {
        let time = position.time.milliseconds
        let age = reading.wallTime.milliseconds - time
        let isNear = abs(age) <= Self.agreement
        var agrees = isNear
        if case .longAfter(let last) = doubt, position.time > last, age > Self.longestPause { longAfterSince = reading.uptime }
        if let step {
            let aheadOfLine = time - (line + reading.uptime)
            // The device confirms the line, and so contradicts the clock.
            if abs(aheadOfLine) <= Self.agreement { self.step = (step.line, reading.uptime) }
            if aheadOfLine > Self.agreement, (-Self.agreement...Self.longestQueue).contains(age) { agrees = true }
        }
        guard agrees else {
            agreeing[position.device] = nil
            return
        }
        if agreeing.count >= Self.mostDevices { agreeing.removeAll() }
        guard var entry = agreeing[position.device] else {
            agreeing[position.device] = Agreement(time: time, uptime: reading.uptime, isNear: isNear)
            return
        }
        if reading.uptime < entry.flushUntil { return }
        let (own, real) = (time - entry.time, reading.uptime - entry.uptime)
        if own < 0 || entry.flushUntil > .min {
            entry = Agreement(time: time, uptime: reading.uptime, isNear: isNear)
        } else if own > real + Self.jitter {
            entry.flushUntil = reading.uptime + Self.longestFlush
        } else if real >= Self.interval {
            entry = Agreement(
                time: time, uptime: reading.uptime, isNear: entry.isNear && isNear, count: entry.count + 1)
        }
        agreeing[position.device] = entry
        guard entry.count >= Self.confirmations else { return }
        if entry.isNear {
            confirm(reading)
        } else if let doubt {
            // At least, the clock is less wrong than the line.
            moveLine(to: reading, after: doubt)
        }
    }

    /// The clock is right.
    private mutating func confirm(_ reading: Reading) {
        if abs(reading.difference - line) >= Self.leastStep, doubt == nil {
            formerDoubt = .wasSet(Double(reading.difference - line) / 1000)
        }
        line = reading.difference
        isConfirmed = true
        lastTrusted = nil
        if let doubt { end(doubt) }
        agreeing.removeAll()
    }

    private mutating func end(_ ended: Doubt) {
        formerDoubt = ended
        doubt = nil
        step = nil
        agreeing.removeAll()
        claims.removeAll()
    }

    /// Follows a clock that was set, although nothing confirms it.
    private mutating func moveLine(to reading: Reading, after doubt: Doubt) {
        line = reading.difference
        isConfirmed = false
        end(doubt)
        compareWithData(reading)
    }

    private mutating func compareWithData(_ reading: Reading) {
        guard !isConfirmed, let newestData, reading.wallTime < newestData else { return }
        doubt = .beforeData(newestData)
    }

    private mutating func compareWithStore(_ reading: Reading) {
        compareWithData(reading)
        guard doubt == nil, let lastTrusted, reading.wallTime.milliseconds - lastTrusted.milliseconds > Self.longestPause else {
            return
        }
        doubt = .longAfter(lastTrusted)
        longAfterSince = reading.uptime
    }
}
