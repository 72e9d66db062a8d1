import Model
import Store
import TestSupport
import Testing

@testable import Core

/// A machine whose clocks a test sets, with its trust in them.
private struct Machine {
    /// Seconds since 2026-11-20T12:00:00Z.
    private(set) var trueSeconds = 0.0
    /// Seconds by which the clock of the machine is wrong; negative if it is behind.
    var error: Double
    var isSynchronized: Bool
    var trust: ClockTrust
    /// Seconds since the machine was started, at the beginning.
    private static let earlierUptime = 100.0
    private static let start = Instant("2026-11-20T12:00:00Z")!

    /// - Parameters:
    ///   - newest: Seconds from the beginning to the newest data in the store.
    ///   - trusted: When a service relied on the clock, in seconds from the beginning, and the error of the clock at that moment.
    ///   - isSameBoot: Whether the machine was not started since then.
    init(
        error: Double = 0, isSynchronized: Bool = false, newest: Double? = nil, trusted: (at: Double, error: Double)? = nil,
        isSameBoot: Bool = false
    ) {
        self.error = error
        self.isSynchronized = isSynchronized
        trust = ClockTrust(Self.reading(0, error), isSynchronized: isSynchronized)
        let last = trusted.map { trusted in
            let (time, line) = (Self.start + (trusted.at + trusted.error), Self.start.milliseconds + Int64(trusted.error * 1000))
            return TrustedClock(boot: isSameBoot ? "b" : "a", line: line - Int64(Self.earlierUptime * 1000), time: time)
        }
        trust.begin(after: newest.map { Self.start + $0 }, last, boot: "b", Self.reading(0, error))
    }

    private static func reading(_ seconds: Double, _ error: Double) -> ClockTrust.Reading {
        .init(wallTime: start + (seconds + error), uptime: Int64((earlierUptime + seconds) * 1000))
    }

    private var reading: ClockTrust.Reading { Self.reading(trueSeconds, error) }

    /// The time that the service uses, in seconds.
    mutating func now() -> Double { trust.follow(reading, isSynchronized: { isSynchronized }) - Self.start }

    mutating func wait(_ seconds: Double) { trueSeconds += seconds }

    /// Sends a request with a position.
    ///
    /// - Parameter age: Seconds from the time of the position to the true time.
    /// - Returns: Whether the position is stored (true), refused permanently (false), or kept by the device (nil).
    mutating func send(_ device: String, age: Double = 0) -> Bool? {
        let position = ClockTrust.DeviceTime(device: device, time: Self.start + (trueSeconds - age))
        let isAhead = trueSeconds - age > now() + SystemClock.tolerance
        let doubt = trust.evaluate(
            isAhead ? [] : [position], ahead: isAhead ? [position] : [], tolerance: SystemClock.tolerance, at: reading,
            isSynchronized: { [isSynchronized] in isSynchronized })
        return isAhead ? doubt == nil ? false : nil : true
    }

    /// A device reports for a while.
    mutating func report(_ device: String, seconds: Double = 30) {
        for _ in 0..<Int(seconds / 5) {
            _ = send(device)
            wait(5)
        }
    }
}

@Suite("Trust in the clock")
struct ClockTrustTests {
    private static let day = 86_400.0
    private static let year = 365 * day

    @Test(
        "Behind a clock that nothing confirms, a position that is ahead is kept by its device", arguments: [700, 3600, 20 * year])
    func behind(seconds: Double) {
        var machine = Machine(error: -seconds)
        #expect(machine.trust.doubt == nil)
        #expect(machine.send("a") == nil)
        #expect(machine.trust.doubt == .beforeDevice("a", seconds))
        // The clock is set, by a person.
        machine.error = 0
        #expect(machine.send("a") == true)
        #expect(machine.trust.doubt == nil)
    }

    @Test("A clock that is synchronized is right, even after it was set")
    func synchronized() {
        var machine = Machine(error: -3600, isSynchronized: true, newest: 0)
        #expect(machine.trust.doubt == nil)
        #expect(machine.send("a") == false)
        machine.error = 0
        #expect(machine.now() == 0 && machine.trust.doubt == nil)
        #expect(machine.send("a") == true)
    }

    @Test("A doubt ends when the clock is synchronized", arguments: [-3600, 0.0])
    func becomesSynchronized(error: Double) {
        var machine = Machine(error: -3600)
        #expect(machine.send("a") == nil)
        machine.error = error
        machine.isSynchronized = true
        #expect(machine.now() == error && machine.trust.doubt == nil)
        #expect(machine.send("late", age: -Self.year) == false)
    }

    @Test("A device whose positions arrive as they are made confirms the clock; one that is years ahead is refused then")
    func confirmed() {
        var machine = Machine()
        #expect(machine.send("wrong", age: -2 * Self.year) == nil)
        #expect(machine.trust.doubt == .beforeDevice("wrong", 2 * Self.year))
        #expect(machine.send("right") == true)
        machine.wait(10)
        #expect(machine.send("right") == true)
        #expect(machine.send("wrong", age: -2 * Self.year) == nil)
        machine.wait(10)
        #expect(machine.send("right") == true)
        #expect(machine.trust.doubt == nil && machine.trust.isConfirmed)
        #expect(machine.send("wrong", age: -2 * Self.year) == false)
        #expect(machine.trust.doubt == nil)
    }

    @Test("A queue of positions that passes the time of a clock that is behind does not confirm it", arguments: [1, 10, 60.0])
    func queue(interval: Double) {
        var machine = Machine(error: -3600)
        var age = 7200.0
        while age > 0 {
            let result = machine.send("a", age: age)
            #expect(result != false, "a position of \(age) s ago is lost")
            if result == true { age -= interval }
            // The queue is sent a hundred times as fast as it was made. A position that is not accepted is repeated.
            machine.wait(result == nil ? 30 : interval / 100)
            if result == nil { machine.error = 0 }
        }
        #expect(machine.trust.doubt == nil)
    }

    @Test("While a clock that was set is doubted, time continues as before; the clock is right again when it is set back")
    func jump() {
        for isConfirmed in [false, true] {
            for step in [-3600, 400 * 86_400, 90] as [Double] {
                var machine = Machine()
                if isConfirmed { machine.report("a") }
                let before = machine.now()
                machine.error = step
                #expect(machine.now() == before && machine.trust.doubt == .wasSet(step))
                machine.wait(15)
                #expect(machine.now() == before + 15)
                // An old position says nothing, and a current one shows that the clock is wrong.
                #expect(machine.send("b", age: 36_000) == true && machine.send("c") == true)
                #expect(machine.trust.doubt == .wasSet(step))
                machine.error = 0
                #expect(machine.now() == before + 15 && machine.trust.doubt == nil)
            }
        }
    }

    @Test(
        "A clock that was corrected is followed when a device confirms it, and when it repeats a position",
        arguments: [true, false])
    func setRight(isRepeated: Bool) {
        var machine = Machine(error: -7200)
        machine.error = 0
        #expect(machine.now() == -7200 && machine.trust.doubt == .wasSet(7200))
        for attempt in 0..<3 {
            #expect(machine.send("a", age: isRepeated ? 20 + 35 * Double(attempt) : 0) == nil)
            machine.wait(35)
        }
        #expect(machine.now() == 105 && machine.trust.doubt == nil && machine.trust.isConfirmed == !isRepeated)
        #expect(machine.send("a", age: 125) == true)
    }

    @Test("A clock that was set is followed after a day, but not while devices contradict it", arguments: [true, false])
    func patience(isContradicted: Bool) {
        var machine = Machine()
        machine.error = 400 * 86_400
        for _ in 0..<30 {
            _ = machine.now()
            machine.wait(3600)
            if isContradicted { #expect(machine.send("a") == true) }
        }
        #expect((machine.trust.doubt != nil) == isContradicted)
        #expect(machine.now() == 30 * 3600 + (isContradicted ? 0 : 400 * 86_400))
    }

    @Test("A clock before the newest data is doubted until it has passed it, or a device confirms it", arguments: [true, false])
    func behindData(isConfirmed: Bool) {
        var machine = Machine(newest: 3600)
        #expect(machine.trust.doubt != nil)
        if isConfirmed { machine.report("a") } else { machine.wait(3600) }
        #expect(machine.now() == (isConfirmed ? 30 : 3600) && machine.trust.doubt == nil)
    }

    @Test(
        "A clock that was set before a restart of the service is doubted as if the service had not ended",
        arguments: [-3600, 90, 400 * day])
    func setBeforeRestart(step: Double) {
        var machine = Machine(error: step, newest: -60, trusted: (-60, 0), isSameBoot: true)
        #expect(machine.now() == 0 && machine.trust.doubt == .wasSet(step))
        machine.wait(3600)
        #expect(machine.send("a") == true && machine.now() == 3600)
        machine.error = 0
        #expect(machine.now() == 3600 && machine.trust.doubt == nil)
    }

    @Test("A service that starts on a running machine whose clock was not set relies on it, however long it did not run")
    func lateRestart() {
        var machine = Machine(newest: -30 * Self.day, trusted: (-30 * Self.day, 0), isSameBoot: true)
        #expect(machine.now() == 0 && machine.trust.doubt == nil)
        let synchronized = Machine(error: 400 * Self.day, isSynchronized: true, trusted: (-60, 0), isSameBoot: true)
        #expect(synchronized.trust.doubt == nil)
    }

    @Test(
        "After a start of the machine, a clock more than a day ahead is doubted until a device or a time server confirms it",
        arguments: [true, false])
    func longAfter(isRecorded: Bool) {
        // Without a record, as after an update, the newest data counts.
        func start(_ error: Double) -> Machine {
            Machine(error: error, newest: -60, trusted: isRecorded ? (-60, 0) : nil)
        }
        #expect(start(Self.day / 2).trust.doubt == nil)
        var machine = start(400 * Self.day)
        guard case .longAfter = machine.trust.doubt else {
            Issue.record("\(String(describing: machine.trust.doubt))")
            return
        }
        #expect(machine.trust.trustedLine(at: .init(wallTime: .latest, uptime: 0)) == nil)
        // The machine is followed, because it may have been off.
        #expect(machine.now() == 400 * Self.day)
        var off = Machine(newest: -30 * Self.day, trusted: isRecorded ? (-30 * Self.day, 0) : nil)
        #expect(off.now() == 0 && off.trust.doubt != nil)
        off.report("a")
        #expect(off.trust.doubt == nil && off.trust.isConfirmed)
        machine.isSynchronized = true
        _ = machine.now()
        #expect(machine.trust.doubt == nil)
    }

    @Test(
        "A clock long after the last moment of trust is followed after a day, but not while devices send positions of the time between",
        arguments: [true, false])
    func longAfterPatience(isContradicted: Bool) {
        var machine = Machine(error: 400 * Self.day, trusted: (-60, 0))
        for _ in 0..<30 {
            _ = machine.now()
            machine.wait(3600)
            if isContradicted { #expect(machine.send("a") == true) }
        }
        _ = machine.now()
        #expect((machine.trust.doubt != nil) == isContradicted)
        // The clock is corrected.
        machine.error = 0
        #expect(machine.now() == (isContradicted ? 0 : 400 * Self.day) + machine.trueSeconds)
        #expect(machine.trust.doubt != nil)
    }

    @Test("A machine that is suspended, and a clock that is adjusted slowly, are not doubted")
    func suspension() {
        var machine = Machine()
        machine.wait(30 * 86_400)
        #expect(machine.now() == 30 * 86_400 && machine.trust.doubt == nil)
        for _ in 0..<1000 {
            machine.error += 1
            machine.wait(60)
            _ = machine.now()
        }
        #expect(machine.now() == machine.trueSeconds + 1000 && machine.trust.doubt == nil)
    }

    @Test("In random histories no position of a device whose clock is right is refused, and the clock is not doubted for ever")
    func randomHistories() {
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            var machine = Machine(
                error: [0, 0, -700, -3600, -20 * Self.year].randomElement(using: &random) ?? 0,
                newest: Bool.random(using: &random) ? -3600 : nil)
            var queue = Double.random(in: 0...7200, using: &random)
            for _ in 0..<200 {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: machine.error = 0
                case 1: machine.error = [-3600, 3600, 400 * 86_400].randomElement(using: &random) ?? 0
                case 2: _ = machine.send("wrong", age: -Self.year)
                case 3...5: #expect(machine.send("live") != false, "seed \(seed)")
                case 6...9:
                    // A part of the queue of a device that had no network.
                    while queue > 0 {
                        let result = machine.send("queue", age: queue)
                        #expect(result != false, "seed \(seed)")
                        if result == nil { break }
                        queue -= 10
                        machine.wait(0.2)
                        if Int.random(in: 0..<50, using: &random) == 0 { break }
                    }
                default: machine.wait(.random(in: 1...600, using: &random))
                }
                queue += .random(in: 0...30, using: &random)
            }
            machine.error = 0
            for _ in 0..<40 {
                _ = machine.send("live")
                machine.wait(5)
            }
            #expect(machine.trust.doubt == nil, "seed \(seed)")
            #expect(abs(machine.now() - machine.trueSeconds) < 1, "seed \(seed)")
            #expect(machine.send("wrong", age: -Self.year) == false, "seed \(seed)")
        }
    }
}
