/// The number of a geofence in a store. It never changes, and is not used again after the geofence was removed.
public struct FenceKey: Hashable, Comparable, Sendable {
    /// The number, from 1.
    public var value: Int32
    /// Creates a key from its number.
    @inlinable public init(_ value: Int32) { self.value = value }
    @inlinable public static func < (a: FenceKey, b: FenceKey) -> Bool { a.value < b.value }
}
