import Model

/// The backups that a service makes automatically.
package struct BackupSchedule: Hashable, Sendable {
    /// The absolute path of the directory with the backups. It must exist.
    package var folder: String
    /// Seconds between two backups.
    package var interval: Double
    /// The number of backups that are kept.
    package var count: Int
    /// The absolute path of a program that gets the path of each new backup; nil for none.
    package var command: String?

    /// Shorter intervals would keep the disk busy, and would remove the oldest backups within an hour.
    private static let shortestInterval = 600.0

    /// - Returns: Nil if no directory is set.
    /// - Throws: `Problem.validationFailed`.
    init?(
        folder: SettingValue, interval: SettingValue, count: SettingValue, command: SettingValue
    ) throws(Problem) {
        // Unusable values are reported even if they have no effect.
        self.interval = try TimeSpan.seconds(
            interval.text ?? "", field: interval.field, in: Self.shortestInterval...TimeSpan.longest)
        self.count = try count.integer(in: 1...10_000)
        self.command = try command.absolutePath()
        guard let folder = try folder.absolutePath() else {
            if self.command != nil { throw command.problem(.partnerMissing("backup-to"), expected: .bothOrNeither) }
            return nil
        }
        self.folder = folder
    }
}
