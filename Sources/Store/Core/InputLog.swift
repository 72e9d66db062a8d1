import Model
import Monitor
import SQLite

// The input log: all inputs of the engine in the order in which it received them. Fixes are in the table `fix`, changes of the geofences in
// `fence_revision`, all other inputs in `input`. All three take their numbers from one sequence.

extension PicketStore {
    /// The values of the column `kind` in the table `input`.
    private enum InputKind: Int {
        case settings = 1
        case clock = 2
        case life = 3
        case report = 4
        case backdating = 5
    }

    private static let removedUpTo = "inputs_removed_up_to"

    // MARK: - Writing

    /// The number of the newest entry; 0 if there is none.
    package func newestInput() throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in try readNewestInput() }
    }

    private func readNewestInput() throws(SQLiteError) -> Int64 {
        if isInTransaction, let newest = cachedNewestInput { return newest }
        let newest: Int64 =
            try connection.value(
                of: """
                    SELECT max(ifnull((SELECT max(number) FROM fix), 0), ifnull((SELECT max(number) FROM input), 0),
                    ifnull((SELECT number FROM fence_revision ORDER BY revision DESC LIMIT 1), 0),
                    ifnull((SELECT value FROM setting WHERE name = '\(Self.removedUpTo)'), 0))
                    """) ?? 0
        cachedNewestInput = newest
        return newest
    }

    /// Reserves the number of the next entry.
    func reserveInputNumber() throws(SQLiteError) -> Int64 {
        let next = try readNewestInput() + 1
        cachedNewestInput = next
        return next
    }

    /// Must be called before fixes are removed. It stores the newest number, so that no number is used twice after the newest entries are
    /// gone. It also counts the removal in `fixRemovals`, so that a `FixOrderPass` which was read before checks whether its fixes still
    /// exist.
    package func prepareFixRemoval(in transaction: borrowing Transaction) throws(Problem) {
        fixRemovals += 1
        try attempt { () throws(SQLiteError) in try saveSetting(Self.removedUpTo, readNewestInput(), in: transaction) }
    }

    /// Appends an input of a device. Fixes, geofences and settings are appended where they are stored
    /// (`append(_:of:revision:evaluation:…)`, `beginFenceRevision()`, `put(_:)`), so this does not append them.
    ///
    /// - Returns: The number of the newest entry.
    package func append(_ input: Input, of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) -> Int64 {
        switch input {
        case .fix, .fences, .settings: try newestInput()
        case .clock(let moment): try append(.clock, of: device, at: moment, in: transaction)
        case .signOfLife(let moment): try append(.life, of: device, at: moment, in: transaction)
        case .report(let fence, let isInside, let moment):
            try append(.report, of: device, at: moment, geofence: fence, isInside: isInside, in: transaction)
        }
    }

    private func append(
        _ kind: InputKind, of device: DeviceKey, at moment: Instant, geofence: FenceKey? = nil, isInside: Bool? = nil,
        in transaction: borrowing Transaction
    ) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let row = try insertInput(kind, of: device, in: transaction)
            row.bind(4, moment.milliseconds)
            row.bind(5, geofence.map { Int64($0.value) })
            row.bind(6, isInside.map { $0 ? 1 : 0 as Int64 })
            try row.run()
            return try readNewestInput()
        }
    }

    /// Appends the entry that a geofence, as it is now, applies to earlier fixes of a device; see `FenceBackdating`.
    ///
    /// - Parameter start: The fix after which the geofence applies; nil for all fixes.
    /// - Returns: The number of the entry.
    package func appendBackdating(
        of fence: FenceKey, after start: TrackPosition?, to device: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            try statement(
                "INSERT INTO input (number, device, kind, at, geofence, after) VALUES (?,?,?,?,?,?)", try reserveInputNumber(),
                device.value, InputKind.backdating.rawValue, start?.time.milliseconds, fence.value, start?.number, in: transaction
            ).run()
            return try readNewestInput()
        }
    }

    /// Appends a change of a device's settings.
    ///
    /// - Returns: The number of the entry.
    func appendSettings(of device: DeviceKey, in transaction: borrowing Transaction) throws(SQLiteError) -> Int64 {
        try insertInput(.settings, of: device, in: transaction).run()
        return try readNewestInput()
    }

    private func insertInput(
        _ kind: InputKind, of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(SQLiteError) -> Statement {
        let row = try statement(
            "INSERT INTO input (number, device, kind, at, geofence, is_inside) VALUES (?,?,?,?,?,?)", in: transaction)
        row.bind(1, try reserveInputNumber())
        row.bind(2, device.value)
        row.bind(3, kind.rawValue)
        return row
    }

    // MARK: - Reading

    /// The entries of a device that are not fixes, from a number on, in order.
    package func inputs(of device: DeviceKey, from number: Int64) throws(Problem) -> [LoggedInput] {
        try rows(
            "SELECT \(InputRow.columns) FROM input WHERE device = ? AND number >= ? ORDER BY number", device.value, number,
            as: InputRow.self
        ).map(input)
    }

    /// The entries of some revisions of the geofences, in order.
    package func fenceEntries(of revisions: [Int64]) throws(Problem) -> [LoggedInput] {
        try rows(
            """
            SELECT \(FenceRevisionRow.columns) FROM fence_revision
            WHERE revision IN (SELECT value FROM json_each(?)) ORDER BY revision
            """, Self.jsonList(revisions), as: FenceRevisionRow.self
        ).map(\.logged)
    }

    /// The revision of the geofences right before an entry.
    package func fenceRevision(before number: Int64) throws(Problem) -> Int64 {
        try firstValue("SELECT max(revision) FROM fence_revision WHERE number < ?", number, as: Int64.self) ?? 0
    }

    func input(_ row: InputRow) throws(Problem) -> LoggedInput {
        guard let kind = InputKind(rawValue: row.kind) else { throw damaged("input \(row.place.number) is of an unknown kind") }
        let read: LoggedInput.Content =
            switch kind {
            case .settings: .settings
            case .clock: .clock(row.at)
            case .life: .signOfLife(row.at)
            case .report: .report(row.geofence, isInside: row.isInside, at: row.at)
            case .backdating: .backdating
            }
        return LoggedInput(place: row.place, device: row.device, kind: read)
    }
}

// MARK: - Rows

/// A row of a fix as an entry of the input log.
struct LoggedFixRow: Row {
    static let columns = "number, device, late, lag, \(Fix.columns)"

    var number: Int64
    var device: DeviceKey
    var evaluation: PicketStore.EvaluationFlags
    var lag: Double
    var fix: Fix

    init(_ row: inout ColumnReader) {
        number = row.next()
        device = row.next()
        evaluation = row.next()
        lag = row.next()
        fix = row.next()
    }

    var logged: LoggedInput {
        LoggedInput(
            place: InputPosition(number), device: device, kind: .fix(fix, lag: lag), isLate: evaluation.isLate,
            isReplayed: evaluation.isReplayed)
    }
}

struct InputRow: Row {
    static let columns = "\(InputPosition.columns), device, kind, at, geofence, is_inside"

    var place: InputPosition
    var device: DeviceKey
    var kind: Int
    var at: Instant
    /// Only valid for a report, like `isInside`.
    var geofence: FenceKey
    var isInside: Bool

    init(_ row: inout ColumnReader) {
        place = row.next()
        device = row.next()
        kind = row.next()
        at = row.next()
        geofence = row.next()
        isInside = row.next()
    }
}

struct FenceRevisionRow: Row {
    static let columns = "\(InputPosition.columns), revision"

    var place: InputPosition
    var revision: Int64

    init(_ row: inout ColumnReader) {
        place = row.next()
        revision = row.next()
    }

    var logged: LoggedInput { LoggedInput(place: place, device: nil, kind: .fences(revision: revision)) }
}
