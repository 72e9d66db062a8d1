import Model
import SQLite
import Store

extension PicketStore {
    /// Checks that the enters and exits of each device and geofence alternate, that each exit has the time of its enter, and that the last
    /// of them agrees with the stored open visits. Events are compared in the order of their numbers. For a device whose events were
    /// corrected by late fixes, they are compared in the order of time (those before and after a removal of the device apart), and those of the same moment in the order in which they alternate.
    ///
    /// - Returns: The number of open visits.
    func findAlternationFlaws(_ flaws: inout StoreFlaws) throws(Problem) -> Int {
        try writePendingStates()
        let turnStatement = try query(
            """
            WITH corrected AS MATERIALIZED (SELECT DISTINCT device FROM event WHERE cause = 'corrected')
            SELECT \(Turn.columns)
            FROM event e LEFT JOIN corrected c ON c.device = e.device
            WHERE type IN ('enter', 'exit') AND \(Self.isNotRetracted("e")) AND e.device NOT IN (\(Self.devicesBeingErased))
            ORDER BY e.device, geofence, life, place, sequence
            """)
        let visitStatement = try query(
            """
            SELECT \(StoredVisit.columns) FROM presence
            WHERE entered_at IS NOT NULL AND device NOT IN (\(Self.devicesBeingErased)) ORDER BY device, geofence
            """)
        var nextVisit = try next(StoredVisit.self, of: visitStatement)
        var openVisits = 0
        /// Compares the open visits according to the events with the stored ones, up to a device and geofence.
        func settle(_ pair: DeviceFencePair, enteredAt: Int64?) throws(Problem) {
            while let visit = nextVisit, visit.pair <= pair {
                openVisits += 1
                if visit.pair < pair || enteredAt == nil {
                    flaws.add(.presence, "\(try name(visit.pair)) is stored as inside, but there is no enter")
                } else if visit.enteredAt != enteredAt {
                    let stored = Instant(milliseconds: visit.enteredAt)
                    flaws.add(
                        .presence, "\(try name(visit.pair)) is stored as inside since \(stored), but the enter has another time")
                }
                nextVisit = try next(StoredVisit.self, of: visitStatement)
                if visit.pair == pair { return }
            }
            if enteredAt != nil { flaws.add(.presence, "\(try name(pair)) has entered, but is not stored as inside") }
        }
        var current: DeviceFencePair?
        var enteredAt: Int64?
        func process(_ turn: Turn, of pair: DeviceFencePair) throws(Problem) {
            if turn.isEnter {
                if enteredAt != nil {
                    flaws.add(.alternation, "event \(turn.sequence): \(try name(pair)) enters for the second time")
                }
                enteredAt = turn.occurredAt
                return
            }
            if enteredAt == nil {
                flaws.add(.alternation, "event \(turn.sequence): \(try name(pair)) leaves without having entered")
            } else if turn.enteredAt != enteredAt {
                flaws.add(
                    .alternation, "event \(turn.sequence): \(try name(pair)) leaves with another time of entry than its enter's")
            }
            enteredAt = nil
        }
        /// The transitions of the current device and geofence with the same position in the order.
        var turns: [Turn] = []
        var place: (life: Int64, place: Int64) = (0, 0)
        func processTurns() throws(Problem) {
            guard let pair = current else { return }
            while !turns.isEmpty {
                let next = turns.firstIndex { enteredAt == nil ? $0.isEnter : !$0.isEnter && $0.enteredAt == enteredAt }
                try process(turns.remove(at: next ?? 0), of: pair)
            }
        }
        while let turn = try next(Turn.self, of: turnStatement) {
            if turn.pair != current || (turn.life, turn.place) != place {
                try processTurns()
                place = (turn.life, turn.place)
            }
            if let last = current, last != turn.pair {
                try settle(last, enteredAt: enteredAt)
                enteredAt = nil
            }
            current = turn.pair
            turns.append(turn)
        }
        try processTurns()
        if let current { try settle(current, enteredAt: enteredAt) }
        try settle(DeviceFencePair(device: .max, geofence: .max), enteredAt: nil)
        return openVisits
    }

    /// An enter or exit event `e`. `c` has a row if late fixes have corrected events of its device.
    private struct Turn: Row {
        static let columns = """
            e.device, geofence, e.sequence, type = 'enter', occurred_at, entered_at,
            iif(c.device IS NULL, e.sequence, occurred_at) AS place,
            (SELECT count(*) FROM device_removal r WHERE r.device = e.device AND r.sequence < e.sequence) AS life
            """

        var pair: DeviceFencePair
        var sequence: Int64
        var isEnter: Bool
        var occurredAt: Int64
        var enteredAt: Int64?
        /// The position of the event in the order of the events of its device and geofence.
        var place: Int64
        /// How often the device was removed before. Late fixes of a device that was added again may be older than its former events.
        var life: Int64

        init(_ row: inout ColumnReader) {
            pair = row.next()
            sequence = row.next()
            isEnter = row.next()
            occurredAt = row.next()
            enteredAt = row.next()
            place = row.next()
            life = row.next()
        }
    }

    /// A stored open visit.
    private struct StoredVisit: Row {
        static let columns = "\(DeviceFencePair.columns), entered_at"

        var pair: DeviceFencePair
        var enteredAt: Int64

        init(_ row: inout ColumnReader) {
            pair = row.next()
            enteredAt = row.next()
        }
    }

    private struct DeviceFencePair: Row, Comparable {
        static let columns = "device, geofence"

        var device: Int64
        var geofence: Int64

        init(device: Int64, geofence: Int64) {
            self.device = device
            self.geofence = geofence
        }

        init(_ row: inout ColumnReader) { self.init(device: row.next(), geofence: row.next()) }

        static func < (a: DeviceFencePair, b: DeviceFencePair) -> Bool { (a.device, a.geofence) < (b.device, b.geofence) }
    }

    /// The names of the device and the geofence, for example "anna-phone at school".
    private func name(_ pair: DeviceFencePair) throws(Problem) -> String {
        let names = try firstRow(
            """
            SELECT (SELECT id FROM device WHERE key = ?1),
            (SELECT id FROM geofence WHERE key = ?2 ORDER BY from_revision DESC LIMIT 1)
            """, pair.device, pair.geofence, as: String?.self, String?.self)
        guard let (device, geofence) = names else { return "" }
        return "\(device ?? "device number \(pair.device)") at \(geofence ?? "geofence number \(pair.geofence)")"
    }
}
