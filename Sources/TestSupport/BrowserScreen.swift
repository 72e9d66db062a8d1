/// A screen that a browser emulates.
public struct BrowserScreen: Sendable {
    /// The width in CSS pixels.
    public var width: Int
    public var height: Int
    /// Device pixels for each CSS pixel, in each dimension.
    public var scale: Double
    /// Whether it is the touchscreen of a mobile device, with a coarse pointer and without hovering.
    public var isTouch: Bool

    public init(width: Int, height: Int, scale: Double = 1, isTouch: Bool = false) {
        self.width = width
        self.height = height
        self.scale = scale
        self.isTouch = isTouch
    }

    public static let phone = BrowserScreen(width: 390, height: 844, scale: 3, isTouch: true)
    public static let phoneSideways = BrowserScreen(width: 844, height: 390, scale: 3, isTouch: true)
    public static let tablet = BrowserScreen(width: 820, height: 1180, scale: 2, isTouch: true)
    public static let desktop = BrowserScreen(width: 1280, height: 800)
}
