/// The result of replaying all stored inputs.
package struct ReplayReport: Sendable {
    /// Fixes that were evaluated.
    package internal(set) var fixes = 0
    /// Late fixes that no replay has evaluated yet. They were skipped, as when they arrived.
    package internal(set) var lateFixes = 0
    /// The newest revision of the geofences that the replay reached.
    package internal(set) var revisions: Int64 = 0
    /// Recorded decisions that the replay reproduced.
    package internal(set) var decisions = 0
    /// Devices whose events and state the replay reproduced.
    package internal(set) var devices = 0
    /// The known reasons why replays of some devices may differ, each with the number of devices that differ.
    package internal(set) var unproven: [(reason: String, devices: Int)] = []
    /// Devices that differ for a known reason.
    package internal(set) var unprovenDevices = 0

    package init() {}

    /// A report that another process has made.
    package init(
        devices: Int, unprovenDevices: Int, unproven: [(reason: String, devices: Int)], fixes: Int, lateFixes: Int,
        revisions: Int64, decisions: Int
    ) {
        (self.devices, self.unprovenDevices, self.unproven) = (devices, unprovenDevices, unproven)
        (self.fixes, self.lateFixes, self.revisions, self.decisions) = (fixes, lateFixes, revisions, decisions)
    }
}
