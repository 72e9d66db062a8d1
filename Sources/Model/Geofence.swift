import Geodesy

/// An area that devices enter, leave and stay in.
public struct Geofence: Hashable, Sendable {
    /// The types of event that are sent to sinks. All types are always recorded.
    public struct Triggers: OptionSet, Hashable, Sendable {
        public var rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Events of devices that enter the geofence.
        public static let enter = Triggers(rawValue: 1)
        /// Events of devices that leave the geofence.
        public static let exit = Triggers(rawValue: 2)
        /// Events of devices that have been in the geofence for its `dwell` time.
        public static let dwell = Triggers(rawValue: 4)
        /// All types of event.
        public static let all: Triggers = [.enter, .exit, .dwell]

        /// Each trigger with its name in JSON and on the command line.
        public static let named: [(trigger: Triggers, name: String)] = [
            (.enter, "enter"), (.exit, "exit"), (.dwell, "dwell"),
        ]
    }

    /// 1 to 64 characters of `A-Z a-z 0-9 . _ -`, unique within a store.
    public var id: String
    /// The name for people, 1 to 120 characters.
    public var name: String
    /// The area.
    public var shape: Shape
    /// Inactive fences are stored but not evaluated.
    public var isActive: Bool
    /// When a phone's operating system can monitor too few regions, fences with a higher priority are preferred.
    public var priority: Int
    /// The types of event that are sent to sinks.
    public var triggers: Triggers
    /// Seconds inside after which a dwell event is emitted; nil for no dwell events.
    public var dwell: Double?
    /// The ids of the devices that the fence applies to. Without devices and groups, it applies to all devices.
    public var devices: [String]
    /// The groups of devices that the fence applies to.
    public var groups: [String]
    /// Names that geofences of one kind share, such as `site`, so that a rule can apply to all of them.
    public var labels: [String]
    /// How the geofence's transitions are decided, where that differs from the device's policy.
    public var policy: PolicyOverride
    /// The members of a JSON object with any other data. Events of the fence carry them.
    public var properties: [JSONValue.Member]

    /// Creates a geofence. Texts are brought to normal form C; `flaw` checks all values.
    public init(
        id: String, name: String, shape: Shape, isActive: Bool = true, priority: Int = 0, triggers: Triggers = .all,
        dwell: Double? = nil, devices: [String] = [], groups: [String] = [], labels: [String] = [],
        policy: PolicyOverride = PolicyOverride(), properties: [JSONValue.Member] = []
    ) {
        self.id = id
        self.name = name.inNormalForm
        self.shape = shape
        self.isActive = isActive
        self.priority = priority
        self.triggers = triggers
        self.dwell = dwell
        self.devices = devices.map(\.inNormalForm)
        self.groups = groups.map(\.inNormalForm)
        self.labels = labels.map(\.inNormalForm)
        self.policy = policy
        self.properties = properties
    }

    /// Whether the fence applies to a device.
    public func applies(to device: Device) -> Bool {
        (devices.isEmpty && groups.isEmpty) || devices.contains(device.id) || groups.contains(where: device.groups.contains)
    }

    /// The allowed radii of a circle in meters.
    public static let radii = 1.0...1_000_000.0
    /// How long a device may have to be inside before a dwell event is emitted, in seconds.
    package static let dwells = TimeSpan.moreThanNone...(366 * 86_400)

    /// The first invalid value of the fence; nil when all are valid. Self-intersections of polygons are not checked here but by `Geometry`.
    public var flaw: Problem? {
        if let reason = Identifier.flaw(inGeofence: id) {
            return .validationFailed(
                field: "id", value: id, reason: reason, expected: .geofenceID)
        }
        if let flaw = Self.fields.flaw(in: self) { return flaw }
        switch shape {
        case .circle(let circle):
            if let flaw = circle.center.flaw { return flaw }
            if !Geofence.radii.contains(circle.radius) {
                return .validationFailed(
                    field: "radius", value: circle.radius.isFinite ? JSONValue(circle.radius).description : "\(circle.radius)",
                    reason: circle.radius < 0 ? .negative : .outOfRange,
                    expected: .metersIn(1, 1_000_000))
            }
        case .polygons(let polygons):
            if polygons.isEmpty || polygons.contains(where: { $0.rings.contains { $0.count < 3 } }) {
                return .validationFailed(
                    field: "geometry", value: "", reason: Phrase("a ring has fewer than three corners"),
                    expected: Phrase("rings of at least three different corners"))
            }
            for place in polygons.lazy.flatMap({ $0.rings.joined() }) {
                // Longitudes may exceed ±180 in order to cross the antimeridian.
                if let flaw = place.flaw(longitudes: 360) { return flaw }
            }
            let longitudes = polygons.lazy.flatMap(\.exterior).map(\.longitude)
            if let west = longitudes.min(), let east = longitudes.max(), east - west > 360 + 1e-9 {
                return .validationFailed(
                    field: "geometry", value: "\(west) … \(east)", reason: Phrase("it goes more than once around the earth"),
                    expected: Phrase("longitudes that span at most 360 degrees"))
            }
        }
        if let taken = properties.first(where: { Geofence.ownNames.contains($0.name) }) {
            return .validationFailed(
                field: "property", value: taken.name, reason: Phrase("this name is reserved for a field of geofences"),
                expected: .anotherName)
        }
        return nil
    }
}

extension Coordinate {
    /// Why the coordinate is invalid; nil when it is valid.
    public var flaw: Problem? { flaw(longitudes: 180) }

    /// Why the coordinate is invalid if its longitude may be up to `most` degrees from 0; nil when it is valid.
    public func flaw(longitudes most: Double) -> Problem? {
        if !(abs(latitude) <= 90) {
            return .validationFailed(
                field: "latitude", value: JSONValue(latitude).description, reason: Self.reason(outOfRange: latitude),
                expected: .degreesIn(90))
        }
        if !(abs(longitude) <= most) {
            return .validationFailed(
                field: "longitude", value: JSONValue(longitude).description, reason: Self.reason(outOfRange: longitude),
                expected: .degreesIn(Int(most)))
        }
        return nil
    }

    /// Why a number is not a latitude or longitude, although it is a number.
    package static func reason(outOfRange number: Double) -> Phrase {
        let size = abs(number)
        // A web map's meters reach 20,037,508. Degrees × 10⁷ are less than 2³².
        if size > 20_037_509, size <= 4_294_967_296 { return .perhapsE7 }
        return size > 1000 ? .notAnAngle : .outOfRange
    }
}
