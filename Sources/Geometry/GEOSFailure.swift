import CGEOS

/// An error of GEOS.
package struct GEOSFailure: Error, Hashable, Sendable {
    /// The operation that failed, such as "a polygon".
    package var operation: String
    /// GEOS's own text.
    package var message: String
}
