import Model

/// The positions that a retention period would delete.
public struct PositionDeletion: Hashable, Sendable {
    /// The number of positions that are older than the retention period.
    public var positions: Int
    /// The number of all stored positions.
    public var of: Int

    /// A retention period shorter than this number of seconds requires confirmation, because a person who writes `3m` may mean months.
    public static let unconfirmed = 3600.0

    public init(positions: Int, of: Int) {
        self.positions = positions
        self.of = of
    }

    /// Refuses a retention period of less than an hour unless it is confirmed. A period of 0 is accepted if there are no positions, because
    /// nothing is lost.
    ///
    /// - Parameters:
    ///   - seconds: The period.
    ///   - text: The period as the person wrote it.
    ///   - when: When the positions would be deleted, for example "within a minute".
    /// - Throws: `Problem.validationFailed` of `field`.
    public func confirm(_ seconds: Double, _ text: String, field: String, isConfirmed: Bool, when: String) throws(Problem) {
        guard seconds < Self.unconfirmed, !isConfirmed, seconds > 0 || positions > 0 else { return }
        let meaning = seconds == 0 ? "it keeps no positions at all" : "it means \(Language.english.duration(seconds))"
        throw .validationFailed(
            field: field, value: text,
            reason: "\(meaning), and would delete \(Wording.number(positions)) of "
                + "\(Wording.count(of, "stored position", "stored positions")) \(when)",
            expected: "an hour or more (three months are 90d), or --yes with it")
    }

    /// `{"positions","of"}`
    public var json: JSONValue { ["positions": JSONValue(positions), "of": JSONValue(of)] }
}
