/// A screen that a browser emulates.
package struct BrowserScreen: Sendable {
    /// The width in CSS pixels.
    package var width: Int
    package var height: Int
    /// Device pixels for each CSS pixel, in each dimension.
    package var scale: Double
    /// Whether it is the touchscreen of a mobile device, with a coarse pointer and without hovering.
    package var isTouch: Bool

    package init(width: Int, height: Int, scale: Double = 1, isTouch: Bool = false) {
        self.width = width
        self.height = height
        self.scale = scale
        self.isTouch = isTouch
    }

    package static let phone = BrowserScreen(width: 390, height: 844, scale: 3, isTouch: true)
    package static let phoneSideways = BrowserScreen(width: 844, height: 390, scale: 3, isTouch: true)
    package static let tablet = BrowserScreen(width: 820, height: 1180, scale: 2, isTouch: true)
    package static let desktop = BrowserScreen(width: 1280, height: 800)
}
