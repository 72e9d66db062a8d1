import Geodesy

/// What has happened to devices with `autoRepair` since the hints were last taken.
package struct RepairHints: Sendable {
    /// The position of each device's newest fix.
    package var moved: [String: Coordinate] = [:]
    /// The devices on which a registration failed or which left the sentinel.
    package var failedOrLeftSentinel: Set<String> = []

    package init() {}
}
