/// Positions on their way in: what a decoder makes of some bytes.
///
/// Devices are named by number, so that a fix costs no string: `deviceNames[row.device]`. Names stay when a batch is
/// emptied (`removeAll()`), so their numbers hold for a whole input.
public struct FixBatch: Sendable {
    /// One decoded fix.
    public struct Row: Sendable {
        public var fix: Fix
        /// Index into `deviceNames`; −1 when the input does not say which device it is.
        public var device: Int32
        /// Index into `attributes`; −1 when there are none.
        public var attributes: Int32
        /// Line of the file, or index in a list, where the fix stands; 1 is the first line.
        public var line: Int
        /// False when the device itself says that the position is not valid (`valid=false`): it is stored and not evaluated.
        public var isValid: Bool

        @inlinable
        public init(fix: Fix, device: Int32, attributes: Int32 = -1, line: Int, isValid: Bool = true) {
            self.fix = fix
            self.device = device
            self.attributes = attributes
            self.line = line
            self.isValid = isValid
        }
    }

    public var rows: [Row] = []
    /// What the input knows of a fix beyond the fields of `Fix`: unknown keys, kept, as one JSON object a fix.
    public var attributes: [String] = []
    public var refusals: [Refusal] = []
    /// What devices call for help with, with or without a row of their own.
    public var alarms: [AlarmReport] = []
    /// Who sent the batch, where the sender is not told what was refused of it: the name of its token, or empty. Refusals that name
    /// no device are counted for the sender. Nil where the sender is told.
    public var sender: String?
    public private(set) var deviceNames: [String] = []
    private var numbers: [String: Int32] = [:]

    public init() {}

    /// The number of a device's name; new names get the next one.
    public mutating func number(ofDevice name: String) -> Int32 {
        if let number = numbers[name] { return number }
        let number = Int32(deviceNames.count)
        deviceNames.append(name)
        numbers[name] = number
        return number
    }

    /// Whether there is nothing in it that a service has to be told.
    public var isEmpty: Bool { rows.isEmpty && refusals.isEmpty && alarms.isEmpty }

    /// Puts the rows in order of time; rows of one time stay in their order.
    ///
    /// - Complexity: O(*n*) when they are in order already, otherwise O(*n* log *n*).
    public mutating func sortByTime() {
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

    /// Forgets rows, attributes, refusals and alarms; keeps the names and the storage.
    public mutating func removeAll() {
        rows.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
        refusals.removeAll(keepingCapacity: true)
        alarms.removeAll(keepingCapacity: true)
    }
}
