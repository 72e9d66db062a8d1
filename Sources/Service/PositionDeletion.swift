import Model

/// What a length of keeping positions would delete.
public struct PositionDeletion: Hashable, Sendable {
    /// Positions that are older than they would be kept.
    public var positions: Int
    /// All positions that there are.
    public var of: Int

    /// Keeping positions for less than this, in seconds, has to be confirmed: who writes `3m` may mean months.
    public static let unconfirmed = 3600.0

    public init(positions: Int, of: Int) {
        self.positions = positions
        self.of = of
    }

    /// Refuses to keep positions for less than an hour, unless that is confirmed. To keep none at all of what has none is no loss.
    ///
    /// - Parameters:
    ///   - seconds: As it was read.
    ///   - text: As it was written.
    ///   - when: When the positions would be deleted, as "within a minute".
    /// - Throws: `Problem.validationFailed` of `field`.
    public func confirm(_ seconds: Double, _ text: String, field: String, isConfirmed: Bool, when: String) throws(Problem) {
        guard seconds < Self.unconfirmed, !isConfirmed, seconds > 0 || positions > 0 else { return }
        let meaning = seconds == 0 ? "it keeps no positions at all" : "it means \(Wording.duration(seconds))"
        throw .validationFailed(
            field: field, value: text,
            reason: "\(meaning), and would delete \(Wording.number(positions)) of "
                + "\(Wording.count(of, "stored position", "stored positions")) \(when)",
            expected: "an hour or more (three months are 90d), or --yes with it")
    }

    /// `{"positions","of"}`
    public var json: JSONValue { ["positions": JSONValue(positions), "of": JSONValue(of)] }
}
