import Comparison
import Model
import Registrations

// Access to registrations.

extension ServiceClient {
    /// Compares the observations of a device's app with its stored positions.
    package func comparison(_ question: ComparisonQuestion) throws(Problem) -> ComparisonReport {
        try connection.send(
            "GET", ["devices", question.deviceId, "comparison"],
            query: [
                ("since", question.since.description), ("until", question.hasEnd ? question.until.description : nil),
                ("prefix", question.names.prefix),
                ("maxDelay", TimeSpan.text(question.maxDelay)), ("clockSkew", question.skew.description),
            ]
        ).decoded()
    }

    /// Changes the profile of a device's simulated phone.
    package func usePhoneProfile(_ profile: SimulatedProfile, ofDevice id: String) throws(Problem) {
        _ = try connection.send("POST", ["devices", id, "registry:simulate"], body: .json(profile.actionJSON))
    }

    /// Saves the key with which a device's OwnTracks app encrypts its messages; nil removes it.
    package func setOwnTracksKey(_ key: String?, ofDevice id: String) throws(Problem) {
        let path = ["devices", id, "owntracks-key"]
        if let key {
            _ = try connection.send("PUT", path, body: .json(["key": .string(key)]))
        } else {
            _ = try connection.send("DELETE", path)
        }
    }

    /// The health of one device's registrations; see `HealthDocument`.
    ///
    /// - Parameter explaining: Whether to include why each saved geofence is or is not registered.
    package func health(of device: String, explaining: Bool) throws(Problem) -> JSONValue {
        try connection.send("GET", ["devices", device, "health"], query: [("explain", explaining ? "true" : nil)]).json
    }

    /// The health of all managed devices, by id.
    ///
    /// - Parameter isCounting: Whether to include how many enters and exits the phones have reported.
    package func health(countingReports isCounting: Bool) throws(Problem) -> [JSONValue] {
        var found: [JSONValue] = []
        try forEach("devices", at: ["health"], query: [("reported", isCounting ? "true" : nil)]) { found.append($0.json) }
        return found
    }

    /// Records the health of phones that has changed, of one device or of all. A running service does this automatically.
    package func recordHealth(ofDevice id: String?) throws(Problem) { try connection.localAPI?.recordHealth(ofDevice: id) }

    /// Passes the recorded changes of a device's health to `body`, the newest first.
    package func forEachHealthChange(of device: String, _ body: (Answer) throws(Problem) -> Void) throws(Problem) {
        for change in try connection.send("GET", ["devices", device, "health-changes"]).list("changes") { try body(change) }
    }

    /// Passes the reports of a device's repairs to `body`, the newest first.
    package func forEachRepair(of device: String, _ body: (JSONValue) throws(Problem) -> Void) throws(Problem) {
        try forEach("repairs", at: ["devices", device, "repairs"]) { answer throws(Problem) in try body(answer.json) }
    }
}
