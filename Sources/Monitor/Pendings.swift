/// What is pending between a device and fences: little and seldom, so apart from the standings, which know it by number.
struct Pendings: Sendable {
    private var slots: [Presence.Pending?] = []
    private var free: [Int32] = []
    private var count: Int32 = 0

    /// Of what is not pending.
    static let none: Int32 = -1
    /// More room than this is given back when nothing is pending any more.
    private static let kept = 4

    var isEmpty: Bool { count == 0 }

    subscript(number: Int32) -> Presence.Pending? { number < 0 ? nil : slots[Int(number)] }

    /// Takes one in, or writes it over the one that has a number, and gives its number.
    mutating func put(_ pending: Presence.Pending, at number: Int32 = none) -> Int32 {
        if number < 0 { count += 1 }
        guard let number = number >= 0 ? number : free.popLast() else {
            slots.append(pending)
            return Int32(slots.count - 1)
        }
        slots[Int(number)] = pending
        return number
    }

    /// Forgets the one of a number, if that is one's.
    mutating func remove(_ number: Int32) {
        guard number >= 0 else { return }
        slots[Int(number)] = nil
        free.append(number)
        count -= 1
        if isEmpty, slots.count > Self.kept { self = Pendings() }
    }
}
