import Geodesy

/// The vectors of the places that were asked about last: of the fix at hand, of the one before it, and of those that wait for confirmation.
///
/// A place has one slot, so a later place may push it out; then its vector is computed again.
struct VectorCache {
    private struct Entry {
        var place = Coordinate(latitude: .nan, longitude: .nan)
        var vector = EarthVector(x: 0, y: 0, z: 0)
    }

    private var entries = InlineArray<32, Entry>(repeating: Entry())

    @inline(__always)
    mutating func vector(_ place: Coordinate) -> EarthVector {
        // Fibonacci hashing: the highest five bits.
        let bits = place.latitude.bitPattern ^ place.longitude.bitPattern &* 0xFF51_AFD7_ED55_8CCD
        let slot = Int(truncatingIfNeeded: (bits &* 0x9E37_79B9_7F4A_7C15) >> 59)
        if entries[slot].place == place { return entries[slot].vector }
        return compute(place, slot)
    }

    @inline(never)
    private mutating func compute(_ place: Coordinate, _ slot: Int) -> EarthVector {
        entries[slot] = Entry(place: place, vector: EarthVector(place))
        return entries[slot].vector
    }
}
