/// The positions that a decoder has read from some bytes.
///
/// Each row refers to its device by number (`deviceNames[row.device]`), so that a row needs no string. `removeAll()` keeps the names, so
/// that numbers stay valid for a whole input.
package struct FixBatch: Sendable {
    /// One decoded fix.
    package struct Row: Sendable {
        package var fix: Fix
        /// Index into `deviceNames`; −1 when the input names no device.
        package var device: Int32
        /// Index into `attributes`; −1 when there are none.
        package var attributes: Int32
        /// The line of the file (from 1), or the index in a list.
        package var line: Int
        /// False when the device marks the position as invalid (`valid=false`): the position is stored but not evaluated.
        package var isValid: Bool
        /// Whether the time has no offset from UTC and its zone is not decided yet. `fix.time` is then the local time as if it were UTC.
        package var isLocal: Bool

        @inlinable
        package init(
            fix: Fix, device: Int32, attributes: Int32 = -1, line: Int, isValid: Bool = true, isLocal: Bool = false
        ) {
            self.fix = fix
            self.device = device
            self.attributes = attributes
            self.line = line
            self.isValid = isValid
            self.isLocal = isLocal
        }
    }

    package var rows: [Row] = []
    /// Members of the input that are not fields of `Fix`, as one JSON object for each fix that has any.
    package private(set) var attributes: [String] = []
    /// The bytes of the texts of `attributes`.
    private var attributeBytes = 0
    package var refusals: [Refusal] = []
    /// What a person should know about the input, although nothing was refused.
    package var remarks: [Phrase] = []
    /// Alarms in the input, with or without their own row.
    package var alarms: [AlarmReport] = []
    /// The times of rows that had no offset from UTC.
    package var timesWithoutZone = TimesWithoutZone()
    /// The name of the token that sent the batch, or empty. It is set only if the sender does not receive the refusals; then refusals
    /// without a device are counted under this name. Nil if the sender receives the refusals.
    package var sender: String?
    /// Whether the app Overland sent positions of the batch. It sends them again until the answer has its word for success.
    package var isOfOverland = false
    /// Whether a command sent the batch. Its user has the file with the positions and reads the refusals.
    package var isOfCommand = false
    /// Whether a broker has kept the positions, so that they do not show that their devices are reachable now.
    package var isRetained = false
    package private(set) var deviceNames: [String] = []
    private var numbers: [String: Int32] = [:]
    /// By device: whether the times of the rows that `takeLastTimes()` has seen rise and fall.
    private var directions: [Int32: Direction] = [:]

    private struct Direction {
        /// The time of the last row.
        var last: Instant
        var rises = false
        var falls = false

        /// Whether the rows are listed from newest to oldest.
        var isNewestFirst: Bool { falls && !rises }

        mutating func add(_ time: Instant) {
            if time > last { rises = true }
            if time < last { falls = true }
            last = time
        }
    }

    /// Rows that were taken from a batch, with their attributes.
    package typealias TakenRows = [(row: Row, attributes: String?)]

    package init() {}

    /// The number of a device name; a new name gets the next number.
    package mutating func number(ofDevice name: String) -> Int32 {
        if let number = numbers[name] { return number }
        let number = Int32(deviceNames.count)
        let name = name.inNormalForm
        deviceNames.append(name)
        numbers[name] = number
        return number
    }

    /// Adds a row, and makes room for a quarter more when there is none. The usual doubling would take up to three times the memory of the
    /// rows.
    @inlinable
    package mutating func append(_ row: Row) {
        if rows.count == rows.capacity { rows.reserveCapacity(rows.count + rows.count / 4 + 8) }
        rows.append(row)
    }

    /// Adds the attributes of a row, and returns their index.
    package mutating func addAttributes(_ text: String) -> Int32 {
        if attributes.count == attributes.capacity { attributes.reserveCapacity(attributes.count + attributes.count / 4 + 8) }
        attributes.append(text)
        attributeBytes += text.utf8.count
        return Int32(attributes.count - 1)
    }

    /// Whether the batch has no rows, refusals or alarms.
    package var isEmpty: Bool { rows.isEmpty && refusals.isEmpty && alarms.isEmpty }

    /// The bytes of memory of the batch's arrays and of the attributes, without the texts of names and refusals.
    package var heldBytes: Int {
        // Each name takes about 24 bytes in an array, 40 bytes in a dictionary, and 32 bytes for its header. A text of attributes
        // has such a header, too.
        rows.capacity * MemoryLayout<Row>.stride + attributes.capacity * 48 + attributeBytes
            + refusals.capacity * MemoryLayout<Refusal>.stride
            + alarms.capacity * MemoryLayout<AlarmReport>.stride + deviceNames.count * 96
    }

    /// Sorts the rows by time. Rows with equal times keep their order, with two exceptions. If the times of a device only fall, its rows are
    /// listed from newest to oldest, and those with equal times are reversed. Of rows with equal device, time and place, the most accurate
    /// one comes first, so that the others are its duplicates.
    ///
    /// - Complexity: O(*n*) when they are sorted already, otherwise O(*n* log *n*).
    package mutating func sortByTime() {
        if rows.count > 1 { sortRows() }
        directions = [:]
    }

    private mutating func sortRows() {
        let isInOrder = isInOrder
        if !isInOrder || directions.values.contains(where: \.isNewestFirst) { reverseNewestFirst() }
        if !isInOrder { sortRowsStably() }
        putMostAccurateFirst()
    }

    private mutating func sortRowsStably() {
        var order = rows.indices.map { Int32($0) }
        order.sort { a, b in
            let (first, second) = (rows[Int(a)].fix.time, rows[Int(b)].fix.time)
            return first != second ? first < second : a < b
        }
        // The row at `order[i]` moves to `i`. A second array of rows would double their memory, so they move one after the other, in cycles.
        for start in rows.indices where Int(order[start]) != start {
            let first = rows[start]
            var index = start
            while true {
                let source = Int(order[index])
                order[index] = Int32(index)
                if source == start { break }
                rows[index] = rows[source]
                index = source
            }
            rows[index] = first
        }
    }

    private var isInOrder: Bool {
        for index in rows.indices.dropFirst() where rows[index].fix.time < rows[index - 1].fix.time { return false }
        return true
    }

    /// Reverses the order of the rows of each device whose times only fall.
    private mutating func reverseNewestFirst() {
        var found: [Int32: Direction] = [:]
        for row in rows where row.device >= 0 {
            if found[row.device]?.add(row.fix.time) != nil { continue }
            // Rows of one time alone are in the order of the rows before them.
            found[row.device] = Direction(last: row.fix.time, falls: directions[row.device]?.isNewestFirst ?? false)
        }
        var indices: [Int32: [Int]] = [:]
        for (index, row) in rows.enumerated() where found[row.device]?.isNewestFirst ?? false {
            indices[row.device, default: []].append(index)
        }
        for list in indices.values {
            for (first, last) in zip(list, list.reversed()) where first < last { rows.swapAt(first, last) }
        }
    }

    /// Exchanges rows with equal device, time and place, so that the most accurate one comes first. The rows are sorted by time.
    private mutating func putMostAccurateFirst() {
        // The index of the last row of each device, and of the row before each row with the same device.
        var last = [Int32](repeating: -1, count: deviceNames.count)
        var before: [Int32] = []
        before.reserveCapacity(rows.count)
        for index in rows.indices {
            let device = Int(rows[index].device)
            guard device >= 0 else {
                before.append(-1)
                continue
            }
            before.append(last[device])
            last[device] = Int32(index)
            var earlier = Int(before[index])
            while earlier >= 0, rows[earlier].fix.time == rows[index].fix.time {
                if rows[earlier].fix.coordinate == rows[index].fix.coordinate, rows[earlier].isValid, rows[index].isValid,
                    rows[index].fix.isMoreAccurate(than: rows[earlier].fix)
                {
                    rows.swapAt(earlier, index)
                }
                earlier = Int(before[earlier])
            }
        }
    }

    /// Takes the rows with the last time of each device whose rows are listed from newest to oldest, because more of the same time may
    /// follow in the input. They are to be added to its next rows. It takes none if these are more than half of the rows.
    package mutating func takeLastTimes() -> TakenRows {
        for row in rows where row.device >= 0 {
            directions[row.device, default: Direction(last: row.fix.time)].add(row.fix.time)
        }
        func isTaken(_ row: Row) -> Bool {
            directions[row.device].map { $0.isNewestFirst && $0.last == row.fix.time } ?? false
        }
        let taken = rows.filter(isTaken)
        if taken.isEmpty || taken.count > rows.count / 2 { return [] }
        rows.removeAll(where: isTaken)
        return taken.map { ($0, $0.attributes < 0 ? nil : attributes[Int($0.attributes)]) }
    }

    /// Adds rows that were taken from this batch before.
    package mutating func add(_ taken: TakenRows) {
        for (row, text) in taken {
            var row = row
            if let text { row.attributes = addAttributes(text) }
            append(row)
        }
    }

    /// Removes rows, attributes, refusals, remarks and alarms, and keeps the device names and the allocated memory.
    package mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        attributeBytes = 0
        refusals.removeAll(keepingCapacity: true)
        remarks.removeAll(keepingCapacity: true)
        alarms.removeAll(keepingCapacity: true)
        timesWithoutZone = TimesWithoutZone()
    }
}
