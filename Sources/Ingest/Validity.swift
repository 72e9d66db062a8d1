/// Interprets `valid`, by which trackers and their servers mark a position.
enum Validity {
    /// Whether the text means no: `false`, `no` or `0`, in any case. Everything else means valid.
    static func isFalse(_ text: String) -> Bool { ["false", "no", "0"].contains(text.lowercased()) }
}
