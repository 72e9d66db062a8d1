/// What a device says of its own position with `valid`, as trackers and their servers write it.
enum Validity {
    /// Whether the text says no: `false`, `no` or `0`, in any case. Anything else counts as valid.
    static func isFalse(_ text: String) -> Bool { ["false", "no", "0"].contains(text.lowercased()) }
}
