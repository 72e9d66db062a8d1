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

        @inlinable
        package init(fix: Fix, device: Int32, attributes: Int32 = -1, line: Int, isValid: Bool = true) {
            self.fix = fix
            self.device = device
            self.attributes = attributes
            self.line = line
            self.isValid = isValid
        }
    }

    package var rows: [Row] = []
    /// Members of the input that are not fields of `Fix`, as one JSON object for each fix that has any.
    package var attributes: [String] = []
    package var refusals: [Refusal] = []
    /// Alarms in the input, with or without a row of their own.
    package var alarms: [AlarmReport] = []
    /// The name of the token that sent the batch, or empty. It is set only if the sender does not receive the refusals; then refusals
    /// without a device are counted under this name. Nil if the sender receives the refusals.
    package var sender: String?
    package private(set) var deviceNames: [String] = []
    private var numbers: [String: Int32] = [:]

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

    /// Whether the batch has no rows, refusals or alarms.
    package var isEmpty: Bool { rows.isEmpty && refusals.isEmpty && alarms.isEmpty }

    /// The bytes of memory of the batch's arrays, without the texts in them.
    package var heldBytes: Int {
        // A name is in an array and in a dictionary, which have some 24 and 40 bytes for each, and has a header of 32 bytes.
        rows.capacity * MemoryLayout<Row>.stride + attributes.capacity * 48 + refusals.capacity * MemoryLayout<Refusal>.stride
            + alarms.capacity * MemoryLayout<AlarmReport>.stride + deviceNames.count * 96
    }

    /// Sorts the rows by time. Rows with equal times keep their order.
    ///
    /// - Complexity: O(*n*) when they are sorted already, otherwise O(*n* log *n*).
    package mutating func sortByTime() {
        if isInOrder { return }
        let order = rows.indices.sorted { a, b in
            rows[a].fix.time != rows[b].fix.time ? rows[a].fix.time < rows[b].fix.time : a < b
        }
        rows = order.map { rows[$0] }
    }

    private var isInOrder: Bool {
        for index in rows.indices.dropFirst() where rows[index].fix.time < rows[index - 1].fix.time { return false }
        return true
    }

    /// Removes rows, attributes, refusals and alarms, and keeps the device names and the allocated memory.
    package mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
        alarms.removeAll(keepingCapacity: true)
    }
}
