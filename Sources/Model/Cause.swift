/// Why a transition was emitted.
package enum Cause: String, CaseIterable, Sendable {
    /// The device moved.
    case moved
    /// The device was already inside at its first deciding fix.
    case initial
    /// A fence was created, edited or activated, and a device is now inside or outside because of that.
    case fenceChanged
    /// A fence was removed while a device was inside.
    case fenceRemoved
    /// A region event of a phone contradicted the last fix.
    case reconciled
    /// A replay found the transition: with late fixes, or with current geofences.
    case corrected
    /// A device was removed while it was inside.
    case deviceRemoved
    /// A device was not heard from, or was heard from again.
    case silence
    /// The device reported it.
    case reported
    /// A rule was not satisfied.
    case rule
}
