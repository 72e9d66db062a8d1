import Model

/// Settings for decoding that the input does not contain.
package struct DecodingOptions: Sendable {
    /// The device of all fixes, whatever the input says. If nil, a fix belongs to the device that it names, or else to the device that the
    /// file is named after.
    package var device: String?
    /// Columns of a CSV file (field → column), such as "timestamp=Zeit,latitude=y".
    package var columns: [String: String] = [:]
    /// The time of the first point without a time. It is used only together with `interval`.
    package var start: Instant?
    /// Seconds between points without a time.
    package var interval: Double?
    /// Whether (0, 0), which usually means "no fix", counts as a position.
    package var allowsNullIsland = false

    package init(device: String? = nil) { self.device = device }
}
