import Model
import SQLite
import Store

/// The last moment at which a service relied on the clock of its machine.
package struct TrustedClock: Equatable, Sendable {
    /// Identifies the time since the machine was started; empty if the system does not provide it.
    var boot: String
    /// The time minus the uptime of the machine, in milliseconds. It only changes when the clock is set.
    var line: Int64
    var time: Instant
}

extension PicketStore {
    private static let trustedClock = "trusted_clock"

    /// The last moment at which a service relied on the clock; nil if none has recorded it.
    package func trustedClock() throws(Problem) -> TrustedClock? {
        guard let text = try text(ofSetting: Self.trustedClock) else { return nil }
        let fields = text.split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 3, let line = Int64(fields[1]), let time = Int64(fields[2]) else {
            throw damaged("the setting \(Self.trustedClock) is '\(text)'")
        }
        return TrustedClock(boot: String(fields[0]), line: line, time: Instant(milliseconds: time))
    }

    /// Saves a moment at which the clock was relied on.
    func save(_ clock: TrustedClock, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            try saveSetting(Self.trustedClock, text: "\(clock.boot) \(clock.line) \(clock.time.milliseconds)", in: transaction)
        }
    }
}
