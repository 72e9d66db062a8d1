import Model

/// Settings for decoding that the input does not contain.
package struct DecodingOptions: Sendable {
    /// The device of all fixes, regardless of the input. If nil, a fix belongs to the device that it names, or else to
    /// `fileDevice`.
    package var device: String?
    /// The device of fixes that name none, in formats whose files have only one device. If nil, the file's path names the device.
    /// An input that is not a file names none.
    package var fileDevice: FileDevice?
    /// The devices of the tracks of a GPX file, if nothing else names a device; nil if they are unknown. Then all tracks belong
    /// to one device.
    package var tracks: TrackSurvey.Verdict?
    /// Columns of a CSV file (field → column), such as "timestamp=Zeit,latitude=y".
    package var columns: [String: String] = [:]
    /// The time of the first point without a time. It is used only together with `interval`.
    package var start: Instant?
    /// Seconds between points without a time.
    package var interval: Double?
    /// Whether (0, 0), which usually means "no fix", counts as a position.
    package var allowsNullIsland = false
    /// The zone of times without an offset from UTC.
    package var timeZone = AssumedTimeZone.zone(.utc)
    /// The order of day and month in dates such as 06/01/2026. If nil, these are refused.
    package var dateOrder: DateOrder?
    /// The clock that no time may be ahead of by more than `SystemClock.tolerance`. If nil, the future is not limited.
    package var clock: (any WallClock)?

    /// The zone of times without an offset from UTC.
    package enum AssumedTimeZone: Sendable {
        /// One zone for all.
        case zone(LocalTimeZone)
        /// The zone of each device by its name; nil, and a position without a device, mean UTC.
        case ofDevices(@Sendable (String) -> LocalTimeZone?)
        /// The receiver of the batch decides; see `FixBatch.Row.isLocal`.
        case undecided
    }

    package init(device: String? = nil) { self.device = device }
}
