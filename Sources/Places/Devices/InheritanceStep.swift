import Core
import Model
import Store

/// What followed when some devices inherited other values.
package struct InheritanceStep: Sendable {
    var changedDevices = 0
    var events: [Event] = []
    /// The last of these devices; nil if no device follows.
    package var next: DeviceKey?
}
