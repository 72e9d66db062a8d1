import Foundation
import Model
import Store
import Synchronization

/// The clock of a running service: the time of the machine as far as it can be relied on; see `ClockTrust`. All parts of a service share
/// one, so that none is misled by a clock that was set wrong. Can be used from any thread.
package final class ServiceClock: WallClock {
    private let clocks: any MachineClocks
    private let trust: Mutex<ClockTrust>

    init(_ clocks: any MachineClocks) {
        self.clocks = clocks
        let reading = ClockTrust.Reading(wallTime: clocks.wallTime(), uptime: clocks.uptime())
        trust = Mutex(ClockTrust(reading, isSynchronized: clocks.isSynchronized()))
    }

    /// The clock of this machine.
    package convenience init() { self.init(SystemClocks()) }

    /// A clock as the clock of a service. A clock of another type counts as always right.
    package static func of(_ clock: any WallClock) -> ServiceClock {
        clock as? ServiceClock ?? ServiceClock(CorrectClocks(clock: clock))
    }

    /// The time by the machine. While its clock was set and cannot be relied on, time continues as if it had not been set.
    package func now() -> Instant { trust.withLock { $0.follow(reading, isSynchronized: clocks.isSynchronized) } }

    /// Milliseconds since the machine was started, including those in which it was suspended.
    var uptime: Int64 { clocks.uptime() }

    /// Compares the clock with the newest time in the store, and with the last moment at which a service relied on it. Call it once, at
    /// the start.
    package func begin(after newest: Instant?, _ last: TrustedClock?) {
        trust.withLock { $0.begin(after: newest, last, boot: clocks.boot(), reading) }
    }

    /// The current moment, if the clock can be relied on now.
    var trustedClock: TrustedClock? {
        let reading = reading
        let line = trust.withLock {
            _ = $0.follow(reading, isSynchronized: clocks.isSynchronized)
            return $0.trustedLine(at: reading)
        }
        return line.map { TrustedClock(boot: clocks.boot(), line: $0, time: reading.wallTime) }
    }

    /// Why the clock cannot be relied on; nil if it can.
    var doubt: ClockTrust.Doubt? {
        trust.withLock {
            _ = $0.follow(reading, isSynchronized: clocks.isSynchronized)
            return $0.doubt
        }
    }

    /// The problem that the clock cannot be relied on; nil if it can.
    package var problem: Problem? { doubt.map(problem) }

    func problem(_ doubt: ClockTrust.Doubt) -> Problem { .clockImplausible(time: clocks.wallTime(), reason: doubt.reason) }

    /// Evaluates the times of the positions of a request.
    ///
    /// - Throws: `Problem.clockImplausible` if positions were refused because they are ahead of a clock that cannot be relied on. Their
    ///   sender has to keep them.
    package func evaluate(_ batch: FixBatch) throws(Problem) {
        let matters = trust.withLock { $0.timesThatMatter(at: reading) }
        let ahead = batch.refusals.filter { $0.kind == .aheadOfClock }
            .map { ClockTrust.DeviceTime(device: $0.device ?? "", time: $0.timeAhead ?? .latest) }
        // The positions of an archive are not searched for the newest.
        let times =
            if let matters, batch.rows.contains(where: { matters.contains($0.fix.time) }) { batch.newestTimes } else {
                [ClockTrust.DeviceTime]()
            }
        if ahead.isEmpty, times.isEmpty { return }
        let doubt = trust.withLock {
            $0.evaluate(
                times, ahead: ahead, tolerance: SystemClock.tolerance, at: reading, isSynchronized: clocks.isSynchronized)
        }
        if let doubt { throw problem(doubt) }
    }

    private var reading: ClockTrust.Reading { .init(wallTime: clocks.wallTime(), uptime: clocks.uptime()) }
}

/// The clocks of this machine.
private struct SystemClocks: MachineClocks {
    func wallTime() -> Instant { SystemClock().now() }

    func uptime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    func isSynchronized() -> Bool { KernelClock.isSynchronized() == true }
    func boot() -> String { MachineRun.name }
}

/// A clock that is always right, and that is the uptime, too.
private struct CorrectClocks: MachineClocks {
    let clock: any WallClock

    func wallTime() -> Instant { clock.now() }
    func uptime() -> Int64 { clock.now().milliseconds }
    func isSynchronized() -> Bool { true }
    func boot() -> String { "" }
}

extension ClockTrust.Doubt {
    fileprivate var reason: Phrase {
        switch self {
        case .beforeData(let newest): .clockBeforeData(newest.description)
        case .longAfter(let last):
            Phrase(
                "it is more than a day after \(last.description), when it was last known to be right, and no device confirms it yet"
            )
        case .wasSet(let seconds): seconds < 0 ? .clockSetBack(-seconds) : .clockSetAhead(seconds)
        case .beforeDevice(let device, let seconds): .clockBeforeDevice(device, seconds)
        }
    }
}

extension Refusal {
    /// The time of a position that was refused because it is ahead of the clock.
    fileprivate var timeAhead: Instant? {
        reason.textValues.lazy.compactMap { Instant($0) }.first
    }
}

extension FixBatch {
    /// The newest time of each device.
    fileprivate var newestTimes: [ClockTrust.DeviceTime] {
        var newest: [Int32: Instant] = [:]
        for row in rows { newest[row.device] = max(newest[row.device] ?? .earliest, row.fix.time) }
        return newest.map { .init(device: $0.key < 0 ? "" : deviceNames[Int($0.key)], time: $0.value) }
    }
}
