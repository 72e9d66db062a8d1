/// What is pending between a device and fences: little and seldom, so apart from the standings, which know it by number.
struct Pendings: Sendable {
    private var slots: [Presence.Pending?] = []
    private var free: [Int32] = []

    /// Of what is not pending.
    static let none: Int32 = -1
    /// More room than this is given back when nothing is pending any more.
    private static let kept = 4

    var isEmpty: Bool { free.count == slots.count }

    subscript(number: Int32) -> Presence.Pending? { number < 0 ? nil : slots[Int(number)] }

    /// Writes what has become of one, and gives the number that it has from now on.
    mutating func put(_ pending: Presence.Pending?, at number: Int32) -> Int32 {
        if number >= 0 {
            slots[Int(number)] = pending
            if pending != nil { return number }
            free.append(number)
            if isEmpty, slots.count > Self.kept { self = Pendings() }
        } else if pending != nil {
            if let number = free.popLast() {
                slots[Int(number)] = pending
                return number
            }
            slots.append(pending)
            return Int32(slots.count - 1)
        }
        return Self.none
    }
}
