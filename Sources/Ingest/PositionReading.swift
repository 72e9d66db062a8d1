import Geodesy
import Model

/// The fields of a position, independent of the format.
enum FixField: UInt8, CaseIterable {
    case device, time, latitude, longitude, accuracy, altitude, speed, course, battery
}

/// One position as read from an input, not yet validated.
///
/// Absent numbers are NaN, which no input can contain (`DecimalNumber` refuses it).
struct PositionReading {
    /// Nil if it is absent.
    var time: WrittenTime?
    /// Degrees.
    var latitude = Double.nan
    /// Degrees.
    var longitude = Double.nan
    /// Meters.
    var accuracy = Double.nan
    /// Horizontal dilution of precision, from which the accuracy is computed if none is given; see `Dilution`.
    var dilution = Double.nan
    /// False if the device itself marks the position as not valid.
    var isValid = true
    /// Meters.
    var altitude = Double.nan
    /// Meters per second.
    var speed = Double.nan
    /// Degrees clockwise from north.
    var course = Double.nan
    /// 0 … 1.
    var battery = Double.nan
    /// The first required field, other than the time, whose value could not be read.
    var unreadable: FixField?

    /// A battery charge as a fraction. Numbers above 1 are percentages.
    static func charge(_ number: Double) -> Double { number > 1 ? number / 100 : number }

    /// A battery charge as a fraction, from a percentage. Numbers between 0 and 1 are fractions already.
    static func charge(percent number: Double) -> Double { number > 0 && number < 1 ? number : number / 100 }

    /// The value of a required field; NaN and an entry in `unreadable` if it is nil.
    @inline(__always)
    mutating func required(_ number: Double?, _ field: FixField) -> Double {
        if number == nil, unreadable == nil { unreadable = field }
        return number ?? .nan
    }

    /// Reads the time from the text in `range`.
    @inline(__always)
    mutating func readTime(_ bytes: Bytes, _ range: Range<Int>) { time = WrittenTime(bytes, range) }

    /// Reads the time from a text.
    mutating func readTime(_ text: String) { text.withBytes { readTime($0, 0..<$0.count) } }

    /// Reads the time from a number.
    @inline(__always)
    mutating func readTime(unix number: Double) { time = WrittenTime(unix: number) }
}

/// Why a reading is not a fix.
enum ReadingFlaw: Error, Hashable {
    /// The field is absent or empty.
    case missing(FixField)
    /// The device is absent, and the file names none.
    case unnamedFile
    /// The field's value could not be read.
    case unreadable(FixField)
    /// The time cannot be used.
    case time(TimeFlaw)
    case outOfRange(FixField, Double)
    case negativeAccuracy
    /// Exactly 0, 0, which devices write when they have no position.
    case nullIsland

    /// The field to report.
    var field: FixField {
        switch self {
        case .missing(let field), .unreadable(let field), .outOfRange(let field, _): field
        case .time: .time
        case .negativeAccuracy: .accuracy
        case .nullIsland: .latitude
        case .unnamedFile: .device
        }
    }

    /// The kind of refusal.
    var kind: Refusal.Kind {
        switch self {
        case .missing(.device), .unnamedFile: .unknownDevice
        case .missing: .missing
        case .unreadable: .unreadable
        case .time(let flaw): flaw.kind
        case .outOfRange, .negativeAccuracy: .outOfRange
        case .nullIsland: .nullIsland
        }
    }

    /// The reason, and what was expected.
    var reason: Phrase {
        switch self {
        case .missing(let field): .expecting(.missing, field.expected)
        case .time(let flaw): flaw.reason
        case .unnamedFile: .expecting(.fileNamesNoDevice, .deviceForAll)
        case .unreadable(.device): .expecting(.noDevice, FixField.device.expected)
        case .unreadable(let field): .expecting(.notANumber, field.expected)
        case .outOfRange(.battery, _): .expecting(.outOfRange, FixField.battery.expected)
        case .outOfRange(let field, let value) where abs(value) > 1000:
            .expecting(Coordinate.reason(outOfRange: value), field.expected)
        case .outOfRange(let field, _): .expecting(.outOfRange, field.expected)
        case .negativeAccuracy: .expecting(.negative, FixField.accuracy.expected)
        case .nullIsland:
            .expecting(.nullIsland, .place)
        }
    }
}

extension ReadingFlaw {
    /// The reason, and what was expected, for a value as text: a number with a decimal comma is named as such.
    func reason(ofValue text: String) -> Phrase {
        guard case .unreadable(let field) = self, field != .time, field != .device else { return reason }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let isNumber = parts.count == 2 && Double("\(parts[0]).\(parts[1])") != nil && parts[1].utf8.allSatisfy(\.isDigit)
        return isNumber ? .expecting(Phrase("it has a decimal comma instead of a decimal point"), field.expected) : reason
    }
}

extension FixField {
    /// What the field should contain.
    var expected: Phrase {
        switch self {
        case .device: Phrase("the device's name, 1 to 128 characters without control characters")
        case .time: .timeOfFix
        case .latitude: .degreesIn(90)
        case .longitude: .degreesIn(180)
        case .accuracy: .metersFromZero
        case .altitude: .meters
        case .speed: .metersPerSecond
        case .course: Phrase("degrees clockwise from north, 0 to 360")
        case .battery: Phrase("a fraction from 0 to 1")
        }
    }

    /// Picket's own name of the field.
    var name: String {
        switch self {
        case .device: "device"
        case .time: "timestamp"
        case .latitude: "latitude"
        case .longitude: "longitude"
        case .accuracy: "accuracy"
        case .altitude: "altitude"
        case .speed: "speed"
        case .course: "course"
        case .battery: "battery"
        }
    }
}

extension Fix {
    /// The largest charge of a battery that is dropped as unknown. Devices write 255 percent, or a voltage in millivolts. A
    /// greater number, or a charge further below 0, cannot be a measurement, so the position is not trusted either.
    static let largestUnknownCharge = 1000.0

    /// Validates a reading whose time a `TimeResolver` has found. All formats use this initializer.
    ///
    /// Longitudes up to ±360° are wrapped. A speed below 0, a course outside 0 … 360 and a battery charge outside 0 … 1 but not
    /// further from 0 than `largestUnknownCharge` mean that the device does not know the value, and are dropped.
    @inline(__always)
    init(_ reading: PositionReading, at time: Instant, allowsNullIsland: Bool) throws(ReadingFlaw) {
        let latitude = reading.latitude
        guard abs(latitude) <= 90 else {
            throw latitude.isNaN ? .missing(.latitude) : .outOfRange(.latitude, latitude)
        }
        let longitude = reading.longitude
        guard abs(longitude) <= 360 else {
            throw longitude.isNaN ? .missing(.longitude) : .outOfRange(.longitude, longitude)
        }
        if latitude == 0, longitude == 0, !allowsNullIsland { throw .nullIsland }
        if reading.accuracy < 0 { throw .negativeAccuracy }
        if abs(reading.battery) > Self.largestUnknownCharge { throw .outOfRange(.battery, reading.battery) }
        let isDiluted = reading.accuracy.isNaN && reading.dilution > 0
        let accuracy = isDiluted ? reading.dilution * Dilution.metersPerUnit : reading.accuracy
        self.init(
            time: time,
            coordinate: Coordinate(latitude: latitude, longitude: Coordinate.wrapped(longitude: longitude)),
            accuracy: accuracy < .infinity ? accuracy : nil, altitude: reading.altitude,
            speed: reading.speed >= 0 ? reading.speed : nil,
            course: reading.course >= 0 && reading.course <= 360 ? reading.course : nil,
            battery: reading.battery >= 0 && reading.battery <= 1 ? reading.battery : nil)
    }
}
