import Model
import Store

/// The open problems with what devices and tokens send.
///
/// One usable input does not end such a problem, because good and bad input may come in turn, as from a clock that is right every second
/// time. A problem ends when usable input has arrived after the last bad one, and the bad one is some minutes ago.
package struct OpenIntakeProblems {
    private struct Entry {
        /// When bad input last arrived.
        var lastAt: Instant
        /// When the problem was last saved.
        var savedAt: Instant
        /// Whether usable input has arrived since.
        var hasUsableInput = false
    }

    private var entries: [String: Entry] = [:]
    /// The devices that have a problem.
    package private(set) var devices: Set<String> = []

    /// Seconds without bad input after which a problem ends: five minutes, and an hour for two senders, which may report seldom.
    private static func patience(_ source: String) -> Double {
        source.hasPrefix(Queries.DeviceProblem.sharedID.rawValue) ? 3600 : 300
    }

    /// A problem whose cause continues is saved again after this number of seconds.
    private static let savingInterval = 60.0

    /// The number of devices with a problem from which further devices have a common one for each token.
    static let maxDevices = 1000

    package init() {}

    /// Whether no further device gets its own problem.
    package var isFull: Bool { devices.count >= Self.maxDevices }

    package func contains(_ source: String) -> Bool { entries[source] != nil }

    /// Whether a problem whose cause has just occurred again has to be saved.
    package func mustSave(_ source: String, at now: Instant) -> Bool {
        // The clock may have been set back.
        entries[source].map { abs(now - $0.savedAt) >= Self.savingInterval } ?? true
    }

    /// Records that bad input has arrived.
    package mutating func recordCause(of source: String, device: String?, at now: Instant, isSaved: Bool) {
        entries[source] = Entry(lastAt: now, savedAt: isSaved ? now : entries[source]?.savedAt ?? now)
        if let device { devices.insert(device) }
    }

    /// Records that usable input has arrived.
    ///
    /// - Returns: Whether the problem has ended.
    package mutating func recordUsableInput(of source: String, at now: Instant) -> Bool {
        entries[source]?.hasUsableInput = true
        return isOver(source, at: now)
    }

    /// The sources of the problems that have ended by now.
    package func sourcesOver(at now: Instant) -> [String] { entries.keys.filter { isOver($0, at: now) }.sorted() }

    private func isOver(_ source: String, at now: Instant) -> Bool {
        guard let entry = entries[source], entry.hasUsableInput else { return false }
        // A clock that was set back by more does not keep a problem open. Small steps back are usual.
        return abs(now - entry.lastAt) >= Self.patience(source)
    }

    /// Removes a problem.
    ///
    /// - Parameter device: The device that has it; nil if it has none.
    package mutating func remove(_ source: String, device: String?) {
        entries[source] = nil
        if let device, !Queries.intakeSources(ofDevice: device).contains(where: contains) { devices.remove(device) }
    }
}

extension Queries {
    /// The sources of all problems with what a device sends.
    static func intakeSources(ofDevice device: String) -> [String] {
        [DeviceProblem.intake, .clock, .clockBehind, .sharedID].map { $0.source(of: device) }
    }
}
