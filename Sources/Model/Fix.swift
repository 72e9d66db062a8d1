import Geodesy

/// A position of a device, as reported.
public struct Fix: Hashable, Sendable {
    /// When the device was there.
    public var time: Instant
    /// Where the device was.
    public var coordinate: Coordinate
    // Absent values are stored as NaN: optionals would double the size of a fix, and there are millions of fixes.
    @usableFromInline var storedAccuracy: Double
    @usableFromInline var storedAltitude: Double
    @usableFromInline var storedSpeed: Double
    @usableFromInline var storedCourse: Double
    @usableFromInline var storedBattery: Double

    /// Creates a fix. A value that the device did not report is nil.
    @inlinable
    public init(
        time: Instant, coordinate: Coordinate, accuracy: Double? = nil, altitude: Double? = nil, speed: Double? = nil,
        course: Double? = nil, battery: Double? = nil
    ) {
        self.time = time
        self.coordinate = coordinate
        storedAccuracy = accuracy ?? .nan
        storedAltitude = altitude ?? .nan
        storedSpeed = speed ?? .nan
        storedCourse = course ?? .nan
        storedBattery = battery ?? .nan
    }

    /// The radius in meters within which the device is with a probability of 68 %; nil when unknown.
    @inlinable
    public var accuracy: Double? {
        get { storedAccuracy.isNaN ? nil : storedAccuracy }
        set { storedAccuracy = newValue ?? .nan }
    }

    /// Meters above the ellipsoid or above sea level, as the device reports it.
    @inlinable
    public var altitude: Double? {
        get { storedAltitude.isNaN ? nil : storedAltitude }
        set { storedAltitude = newValue ?? .nan }
    }

    /// Meters per second over ground.
    @inlinable
    public var speed: Double? {
        get { storedSpeed.isNaN ? nil : storedSpeed }
        set { storedSpeed = newValue ?? .nan }
    }

    /// Degrees clockwise from north, 0 … 360.
    @inlinable
    public var course: Double? {
        get { storedCourse.isNaN ? nil : storedCourse }
        set { storedCourse = newValue ?? .nan }
    }

    /// The charge of the battery, 0 … 1.
    @inlinable
    public var battery: Double? {
        get { storedBattery.isNaN ? nil : storedBattery }
        set { storedBattery = newValue ?? .nan }
    }

    /// The accuracy in meters that decisions use: 0, which means exact, when it is unknown.
    @inlinable
    public var accuracyOrZero: Double { storedAccuracy > 0 ? storedAccuracy : 0 }

    /// Whether the fix is known to be more accurate than another one. Both accuracies must be known.
    @inlinable
    package func isMoreAccurate(than other: Fix) -> Bool { storedAccuracy > 0 && storedAccuracy < other.storedAccuracy }

    // Compares the optional values, because NaN, which marks absence, is not equal to itself.
    @inlinable
    public static func == (a: Fix, b: Fix) -> Bool {
        a.time == b.time && a.coordinate == b.coordinate && a.accuracy == b.accuracy && a.altitude == b.altitude
            && a.speed == b.speed && a.course == b.course && a.battery == b.battery
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(time)
        hasher.combine(coordinate)
    }
}
