// The one place that chooses a C mathematics library, so that no other file needs Foundation.
#if canImport(Darwin)
    @_exported import Darwin.C.math
#elseif canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#endif

extension Double {
    /// This angle in degrees, as radians.
    @inlinable public var radians: Double { self * (.pi / 180) }

    /// This angle in radians, as degrees.
    @inlinable public var degrees: Double { self * (180 / .pi) }
}
