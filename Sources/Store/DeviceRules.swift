import Model
import SQLite

/// What a device was judged by from time to time: its groups, its policy and its patience with silence.
public struct RulesHistory: Sendable {
    /// Rules that held up to a change of them.
    struct Period: Sendable {
        /// The device as it was judged.
        var device: Device
        /// The time of its newest fix at the change, believed or not, and the number of the newest fix in the store.
        var until: Instant
        var number: Int64
        /// Of the fences, at the change.
        var revision: Int64
        /// Of the newest event, at the change.
        var sequence: Int64
    }

    /// In order of time.
    private let periods: [Period]
    private let now: Device

    init(_ periods: [Period], now: Device) {
        self.periods = periods
        self.now = now
    }

    /// The same rules at all times.
    public init(always device: Device) { self.init([], now: device) }

    /// The number of the rules that hold now; those before have the numbers from 0 on.
    public var last: Int { periods.count }

    /// The device with the rules of that number.
    public func device(_ index: Int) -> Device { index < periods.count ? periods[index].device : now }

    /// When the rules of that number were replaced: the revision of the fences, the number of the newest event and that of the newest
    /// fix in the store; nil for those that hold now.
    public func end(_ index: Int) -> (revision: Int64, sequence: Int64, number: Int64)? {
        index < periods.count ? (periods[index].revision, periods[index].sequence, periods[index].number) : nil
    }

    /// The number of the rules that a fix was judged by, or should have been.
    public func index(at fix: (time: Instant, number: Int64)) -> Int {
        periods.firstIndex { (fix.time, fix.number) <= ($0.until, $0.number) } ?? last
    }

    /// The number of the rules that held when the next fix after a moment came.
    public func index(after moment: Instant) -> Int { periods.firstIndex { moment < $0.until } ?? last }
}

extension RegionStore {
    /// Notes what a device was judged by until now, when it has been judged at all.
    ///
    /// - Parameter old: The device as it was.
    func keepRules(of old: StoredDevice) throws(Problem) {
        try settle(old.key)
        try attempt { () throws(SQLiteError) in try insertRules(of: old) }
    }

    private func insertRules(of old: StoredDevice) throws(SQLiteError) {
        let row = try connection.statement(
            """
            INSERT INTO device_rules (device, until, number, revision, sequence, groups, policy, silent_after)
            SELECT device, \(Self.seenAt), (SELECT ifnull(max(number), 0) FROM fix),
            (SELECT value FROM setting WHERE name = 'fence_revision'), (SELECT ifnull(max(sequence), 0) FROM event), ?2, ?3, ?4
            FROM device_state WHERE device = ?1
            """)
        row.bind(1, old.key.value)
        row.bind(2, Self.text(old.device.groups))
        row.bind(3, old.device.policy.json?.description)
        row.bind(4, old.device.silentAfter)
        try row.run()
    }

    /// What a device was judged by from its first fix on.
    public func rules(of stored: StoredDevice) throws(Problem) -> RulesHistory {
        let row = try attempt { () throws(SQLiteError) in
            try connection.statement(
                "SELECT until, number, revision, groups, policy, silent_after, sequence FROM device_rules WHERE device = ? ORDER BY change"
            )
        }
        defer { row.reset() }
        row.bind(1, stored.key.value)
        var periods: [RulesHistory.Period] = []
        while try attempt({ () throws(SQLiteError) in try row.step() }) {
            var device = stored.device
            device.groups = try list(row.optionalText(3))
            device.policy = try policy(row.optionalText(4))
            device.silentAfter = row.double(5)
            periods.append(
                .init(
                    device: device, until: Instant(milliseconds: row.int64(0)), number: row.int64(1), revision: row.int64(2),
                    sequence: row.int64(6)))
        }
        return RulesHistory(periods, now: stored.device)
    }
}

extension Device {
    /// Whether fixes of another are judged by the same groups, policy and patience.
    func isJudged(as other: Device) -> Bool {
        groups == other.groups && policy == other.policy && silentAfter == other.silentAfter
    }
}
