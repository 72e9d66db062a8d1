import CGEOS

/// A geometry of GEOS in a plane, in degrees of longitude and latitude or in meters. It is freed with its last reference.
@safe package final class GEOSGeometry {
    let context: GEOSContext
    let pointer: OpaquePointer
    /// The prepared geometry, made at first use. It caches what repeated predicates share.
    private var prepared: OpaquePointer?

    /// Takes ownership of a geometry that GEOS made.
    init(_ pointer: OpaquePointer?, in context: GEOSContext) throws(GEOSFailure) {
        guard let pointer = unsafe pointer else { throw context.failure }
        self.context = context
        unsafe self.pointer = pointer
        unsafe prepared = nil
    }

    deinit {
        if let prepared = unsafe prepared { unsafe GEOSPreparedGeom_destroy_r(context.handle, prepared) }
        unsafe GEOSGeom_destroy_r(context.handle, pointer)
    }

    /// Creates polygons from rings of (x, y). Open rings are closed.
    static func polygons(_ parts: [[[PlanePoint]]], in context: GEOSContext) throws(GEOSFailure) -> GEOSGeometry {
        var polygons: [OpaquePointer?] = unsafe []
        func abandon() -> GEOSFailure {
            while let polygon = unsafe polygons.popLast() { unsafe GEOSGeom_destroy_r(context.handle, polygon) }
            return context.failure
        }
        for rings in parts {
            var linear: [OpaquePointer?] = unsafe []
            for ring in rings {
                guard let made = unsafe linearRing(ring, in: context) else {
                    while let ring = unsafe linear.popLast() { unsafe GEOSGeom_destroy_r(context.handle, ring) }
                    throw abandon()
                }
                unsafe linear.append(made)
            }
            let shell = unsafe linear.removeFirst()
            // GEOS takes ownership of the rings, and frees them when this fails.
            let polygon = unsafe linear.withUnsafeMutableBufferPointer {
                unsafe GEOSGeom_createPolygon_r(context.handle, shell, $0.baseAddress, UInt32($0.count))
            }
            guard let polygon = unsafe polygon else { throw abandon() }
            unsafe polygons.append(polygon)
        }
        if unsafe polygons.count == 1 { return try unsafe GEOSGeometry(polygons[0], in: context) }
        let collection = unsafe polygons.withUnsafeMutableBufferPointer {
            unsafe GEOSGeom_createCollection_r(
                context.handle, Int32(GEOS_MULTIPOLYGON.rawValue), $0.baseAddress, UInt32($0.count))
        }
        return try unsafe GEOSGeometry(collection, in: context)
    }

    private static func linearRing(_ points: [PlanePoint], in context: GEOSContext) -> OpaquePointer? {
        let closed = points.first == points.last ? points : points + points.prefix(1)
        var numbers: [Double] = []
        numbers.reserveCapacity(closed.count * 2)
        for point in closed {
            numbers.append(point.x)
            numbers.append(point.y)
        }
        let sequence = unsafe GEOSCoordSeq_copyFromBuffer_r(context.handle, numbers, UInt32(closed.count), 0, 0)
        guard let sequence = unsafe sequence else { return nil }
        return unsafe GEOSGeom_createLinearRing_r(context.handle, sequence)
    }

    /// Whether the point is inside or on the boundary.
    func covers(x: Double, y: Double) -> Bool {
        if unsafe prepared == nil { unsafe prepared = GEOSPrepare_r(context.handle, pointer) }
        guard let point = unsafe GEOSGeom_createPointFromXY_r(context.handle, x, y) else { return false }
        defer { unsafe GEOSGeom_destroy_r(context.handle, point) }
        return unsafe GEOSPreparedCovers_r(context.handle, prepared, point) == 1
    }

    /// Whether the point is at most `limit` away from this geometry, in the plane's unit.
    func isWithin(_ limit: Double, x: Double, y: Double) -> Bool {
        if unsafe prepared == nil { unsafe prepared = GEOSPrepare_r(context.handle, pointer) }
        guard let point = unsafe GEOSGeom_createPointFromXY_r(context.handle, x, y) else { return false }
        defer { unsafe GEOSGeom_destroy_r(context.handle, point) }
        return unsafe GEOSPreparedDistanceWithin_r(context.handle, prepared, point, limit) == 1
    }

    func intersection(_ other: GEOSGeometry) throws(GEOSFailure) -> GEOSGeometry {
        try unsafe GEOSGeometry(GEOSIntersection_r(context.handle, pointer, other.pointer), in: context)
    }

    /// The union of all parts, without the seams between them.
    func dissolved() throws(GEOSFailure) -> GEOSGeometry {
        try unsafe GEOSGeometry(GEOSUnaryUnion_r(context.handle, pointer), in: context)
    }

    /// A valid geometry made from this one by GEOS: self-intersections become corners.
    func repaired() throws(GEOSFailure) -> GEOSGeometry {
        try unsafe GEOSGeometry(GEOSMakeValid_r(context.handle, pointer), in: context)
    }

    /// The area in the plane's unit squared; NaN if GEOS fails.
    var area: Double {
        var area = 0.0
        return unsafe GEOSArea_r(context.handle, pointer, &area) == 1 ? area : .nan
    }

    /// The DE-9IM matrix of two geometries, in GEOS's notation of nine characters.
    func relation(to other: GEOSGeometry) throws(GEOSFailure) -> String {
        guard let text = unsafe GEOSRelate_r(context.handle, pointer, other.pointer) else { throw context.failure }
        defer { unsafe GEOSFree_r(context.handle, text) }
        return unsafe String(cString: text)
    }

    /// Why the geometry is invalid, and where; nil if it is valid.
    func flaw() -> (reason: String, at: PlanePoint?)? {
        var reason: UnsafeMutablePointer<CChar>?
        var place: OpaquePointer?
        let valid = unsafe GEOSisValidDetail_r(context.handle, pointer, 0, &reason, &place)
        defer {
            unsafe GEOSFree_r(context.handle, reason)
            if let place = unsafe place { unsafe GEOSGeom_destroy_r(context.handle, place) }
        }
        if valid == 1 { return nil }
        var point: PlanePoint?
        if let place = unsafe place {
            var x = 0.0
            var y = 0.0
            if unsafe GEOSGeomGetX_r(context.handle, place, &x) == 1, unsafe GEOSGeomGetY_r(context.handle, place, &y) == 1 {
                point = PlanePoint(x: x, y: y)
            }
        }
        guard let reason = unsafe reason else { return (context.failure.message, point) }
        return unsafe (String(cString: reason), point)
    }

    /// The rings of the geometry's polygons. Lines and points are skipped.
    func parts() -> [[[PlanePoint]]] {
        unsafe parts(of: pointer)
    }

    private func parts(of geometry: OpaquePointer) -> [[[PlanePoint]]] {
        var parts: [[[PlanePoint]]] = []
        for index in 0..<max(0, unsafe GEOSGetNumGeometries_r(context.handle, geometry)) {
            guard let part = unsafe GEOSGetGeometryN_r(context.handle, geometry, index) else { continue }
            let type = unsafe GEOSGeomTypeId_r(context.handle, part)
            if type == Int32(GEOS_MULTIPOLYGON.rawValue) { parts += unsafe self.parts(of: part) }
            guard type == Int32(GEOS_POLYGON.rawValue) else { continue }
            var rings = [unsafe points(of: GEOSGetExteriorRing_r(context.handle, part))]
            for hole in 0..<max(0, unsafe GEOSGetNumInteriorRings_r(context.handle, part)) {
                rings.append(unsafe points(of: GEOSGetInteriorRingN_r(context.handle, part, hole)))
            }
            if !rings[0].isEmpty { parts.append(rings) }
        }
        return parts
    }

    private func points(of ring: OpaquePointer?) -> [PlanePoint] {
        guard let ring = unsafe ring, let sequence = unsafe GEOSGeom_getCoordSeq_r(context.handle, ring) else { return [] }
        var count: UInt32 = 0
        guard unsafe GEOSCoordSeq_getSize_r(context.handle, sequence, &count) == 1, count > 0 else { return [] }
        var numbers = [Double](repeating: 0, count: Int(count) * 2)
        unsafe numbers.withUnsafeMutableBufferPointer {
            _ = unsafe GEOSCoordSeq_copyToBuffer_r(context.handle, sequence, $0.baseAddress, 0, 0)
        }
        return (0..<Int(count)).map { PlanePoint(x: numbers[$0 * 2], y: numbers[$0 * 2 + 1]) }
    }
}

/// A point in a plane.
struct PlanePoint: Hashable {
    var x: Double
    var y: Double
}

extension GEOSGeometry {
    /// A point; nil only if GEOS is out of memory.
    static func point(x: Double, y: Double, in context: GEOSContext) -> GEOSGeometry? {
        do throws(GEOSFailure) {
            return try unsafe GEOSGeometry(GEOSGeom_createPointFromXY_r(context.handle, x, y), in: context)
        } catch {
            return nil
        }
    }
}
