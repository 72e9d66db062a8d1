import Core
import Model
import Presence

/// The state of all devices and of the service; see `GET /v1/status`.
package struct ServiceStatus {
    /// The devices, sorted by id, with the geofences that they are in.
    package var devices: [Queries.DeviceStatus]
    /// The numbers of geofences, devices, positions and events.
    package var totals: Queries.Totals
    /// The numbers of open problems that are not dismissed.
    package var problems: Queries.ProblemTotals
    /// The connection to the MQTT broker; nil if there is none.
    package var broker: JSONValue?
    /// The numbers of sinks; nil without a service.
    package var sinks: JSONValue?
}
