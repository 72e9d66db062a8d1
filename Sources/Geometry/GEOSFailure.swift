import CGEOS

/// An error of GEOS.
package struct GEOSFailure: Error, Hashable, Sendable {
    /// GEOS's own text.
    package var message: String
}
