import Foundation
import Geodesy
import Geometry
import TestSupport

/// Converts between pixels of the map and positions on the earth with the Web Mercator projection, independently of the page.
struct MapPixels {
    let center: Coordinate
    let zoom: Double
    /// The position of the center in the viewport.
    let middle: BrowserPoint

    /// Shows a part of the earth on the page's map.
    ///
    /// - Parameter zoom: At 0 the world is 256 pixels wide; each step doubles its width.
    init(_ bench: DashboardBench, around center: Coordinate, zoom: Int) throws {
        self.center = center
        self.zoom = Double(zoom)
        let middle = try bench.browser.evaluate(
            """
            const { mapState } = await import('/dashboard/map-state.js')
            mapState.map.setView([\(center.latitude), \(center.longitude)], \(zoom), { animate: false })
            const box = mapState.map.getContainer().getBoundingClientRect()
            return [box.x + box.width / 2, box.y + box.height / 2]
            """)
        self.middle = BrowserPoint(x: middle.array?.first?.double ?? 0, y: middle.array?.last?.double ?? 0)
    }

    /// The point `right` pixels to the right of the center and `down` pixels below it.
    func point(_ right: Double, _ down: Double) -> BrowserPoint { BrowserPoint(x: middle.x + right, y: middle.y + down) }

    /// The position on the earth at a point, given as in `point(_:_:)`. The page's pointer is on whole pixels.
    func place(_ right: Double, _ down: Double) -> Coordinate {
        let width = 256 * pow(2, zoom)
        let (dx, dy) = ((middle.x + right).rounded() - middle.x, (middle.y + down).rounded() - middle.y)
        let y = asinh(tan(center.latitude * .pi / 180)) - dy / width * 2 * .pi
        return Coordinate(latitude: atan(sinh(y)) * 180 / .pi, longitude: center.longitude + dx / width * 360)
    }

    /// The width of a pixel at the center in meters.
    var metersPerPixel: Double { Geodesic.distance(place(0, 0), place(1, 0)) }
}
