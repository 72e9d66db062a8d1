import Geodesy

/// ECEF vectors of recently used coordinates: the current fix, the fix before it, and fixes that wait for confirmation.
///
/// A coordinate has one slot, which another coordinate may overwrite.
struct VectorCache {
    private struct CachedVector {
        var place = Coordinate(latitude: .nan, longitude: .nan)
        var vector = EarthVector(x: 0, y: 0, z: 0)
    }

    private var entries = InlineArray<32, CachedVector>(repeating: CachedVector())

    @inline(__always)
    mutating func vector(_ place: Coordinate) -> EarthVector {
        // Fibonacci hashing: the five highest bits are the slot.
        let bits = place.latitude.bitPattern ^ place.longitude.bitPattern &* 0xFF51_AFD7_ED55_8CCD
        let slot = Int(truncatingIfNeeded: (bits &* 0x9E37_79B9_7F4A_7C15) >> 59)
        if entries[slot].place == place { return entries[slot].vector }
        return compute(place, slot)
    }

    @inline(never)
    private mutating func compute(_ place: Coordinate, _ slot: Int) -> EarthVector {
        entries[slot] = CachedVector(place: place, vector: EarthVector(place))
        return entries[slot].vector
    }
}
