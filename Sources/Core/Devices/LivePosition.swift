import Geodesy
import Model

/// The position of a device for clients that follow it on a map.
package struct LivePosition: Hashable, Sendable {
    package var deviceId: String
    package var fix: Fix

    init(deviceId: String, fix: Fix) {
        self.deviceId = deviceId
        self.fix = fix
    }

    /// `{"deviceId","latitude","longitude","timestamp"}`, and if they are known `accuracy`, `speed`, `course` and `battery`.
    package var json: JSONValue {
        .compact([
            ("deviceId", .string(deviceId)),
            ("latitude", JSONValue(fix.coordinate.latitude)),
            ("longitude", JSONValue(fix.coordinate.longitude)),
            ("timestamp", JSONValue(fix.time)),
            ("accuracy", fix.accuracy.map { JSONValue($0) }),
            ("speed", fix.speed.map { JSONValue($0) }),
            ("course", fix.course.map { JSONValue($0) }),
            ("battery", fix.battery.map { JSONValue($0) }),
        ])
    }
}
