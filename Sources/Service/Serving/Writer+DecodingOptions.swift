import Core
import Ingest
import Model

extension Writer {
    /// The options for decoding what devices send.
    ///
    /// - Parameter device: The device that all positions belong to, whatever the input says; nil if the input names the devices.
    package func decodingOptions(ofDevice device: String?) -> DecodingOptions {
        var options = DecodingOptions()
        options.clock = clock
        let zones = inputTimeZones
        if let device {
            options.timeZone = .zone(zones.zone(of: device) ?? .utc)
        } else {
            options.timeZone = .ofDevices { zones.zone(of: $0) }
        }
        return options
    }
}
