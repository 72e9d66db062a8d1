import Geodesy
import Geometry
import Model

/// Two geofences that overlap or touch.
package struct GeofenceOverlap: Sendable {
    package var a: String
    package var b: String
    package var overlap: Overlap
    /// The name of `b`; nil if the recipient already knows `b`.
    package var nameOfB: String?

    package var json: JSONValue {
        .compact([
            ("a", .string(a)), ("b", .string(b)), ("nameOfB", nameOfB.map { .string($0) }),
            ("relation", .string(overlap.relation.rawValue)),
            ("sharedArea", JSONValue((overlap.sharedArea * 100).rounded() / 100)),
            ("shareOfA", JSONValue((overlap.shareOfA * 1e6).rounded() / 1e6)),
            ("shareOfB", JSONValue((overlap.shareOfB * 1e6).rounded() / 1e6)),
        ])
    }
}
