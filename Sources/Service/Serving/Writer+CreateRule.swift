import Core
import Model
import Places

extension Writer {
    /// Creates a rule like `ServiceWriter.makeRule(_:)`, and evaluates the past of a few devices at a time, between which the writer does
    /// other work. If that is interrupted, the past of the other devices is evaluated by the clock.
    ///
    /// - Parameter admission: Called before the rule is created. Throws the problem if its client may not create it any more.
    package func createRule(_ json: JSONValue, _ admission: Admission?) async throws(Problem) -> Queries.RuleStatus {
        // Otherwise all unordered fixes would be searched for the oldest one of each device.
        if json["since"] != nil { await sortFixes() }
        let (made, devices) = try await perform { service throws(Problem) in
            try admission?()
            return try service.makeRule(json)
        }
        do throws(Problem) {
            // With a label, each device is evaluated at many geofences.
            for part in devices.parts(of: made.rule.geofences.label == nil ? devicesAtOnce : devicesAtOnce / 10) {
                try await perform { service throws(Problem) in try service.evaluatePast(ofRule: made.rule.id, part) }
            }
        } catch {
            // The rule is made. An error would make the client create another one.
        }
        return made
    }
}
