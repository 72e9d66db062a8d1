import Model

/// A feature or record that was refused.
package struct RefusedGeofence: Hashable, Sendable {
    /// The number of the feature or record in the file, from 1.
    package var index: Int
    /// The id, if there is one.
    package var id: String?
    /// The line where the feature or record starts, and the reason.
    package var refusal: Refusal
}
