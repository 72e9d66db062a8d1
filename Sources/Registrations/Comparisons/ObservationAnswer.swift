import Model

/// The result of sending observations of an app.
struct ObservationAnswer: Sendable {
    /// Those that are stored now.
    var accepted = 0
    /// Those that were stored already. They count once.
    var duplicates = 0
    var refusals: BoundedList<Refusal>

    init(refusals: BoundedList<Refusal>) { self.refusals = refusals }
}

extension ObservationAnswer: JSONWritable {
    static let output = JSONOutput<ObservationAnswer>(
        "ObservationAnswer", summary: "The results for the observations of an app",
        .init("accepted", kind: .whole, summary: "Those that were newly stored", content: \.accepted),
        .init("duplicates", kind: .whole, summary: "Those that were stored before; they count once", content: \.duplicates),
        .init(
            "refused", kind: .list(of: .object(of: Refusal.positionShape)),
            summary: "The first invalid ones, \(BoundedList<Refusal>.maxEntries) at most, and why",
            content: { Array($0.refusals) }),
        .init("refusedCount", kind: .whole, summary: "The number of invalid ones", content: \.refusals.total))
}
