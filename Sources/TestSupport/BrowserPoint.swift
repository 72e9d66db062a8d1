/// A position in the viewport, in CSS pixels from its left and top edges.
package struct BrowserPoint: Sendable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }
}
