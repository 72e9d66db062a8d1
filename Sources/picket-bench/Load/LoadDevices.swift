import Model

/// Simulated devices for load tests, and the fixes that they send. They drive in a square of one degree north of the equator and
/// east of the prime meridian.
struct LoadDevices {
    private struct Car {
        /// The position in millionths of a degree, from 0 to 999,999.
        var latitude: Int
        var longitude: Int
        /// The movement from one fix to the next in millionths of a degree, north and east positive.
        var latitudeStep: Int
        var longitudeStep: Int
        /// The time of the next fix in milliseconds since 1970.
        var time: Int64

        /// Moves to the position of the next fix.
        ///
        /// - Parameter interval: Milliseconds until the next fix.
        mutating func drive(_ interval: Int64) {
            time += interval
            Self.move(&latitude, &latitudeStep)
            Self.move(&longitude, &longitudeStep)
        }

        /// Moves along one axis, and reverses the direction at the edge of the square.
        private static func move(_ position: inout Int, _ movement: inout Int) {
            if !(0..<1_000_000).contains(position + movement) { movement = -movement }
            position += movement
        }
    }

    /// The devices by number.
    private var cars: [Car] = []
    /// Milliseconds between two fixes of a device.
    private let interval: Int64

    /// - Parameters:
    ///   - start: The time of each device's first fix, in milliseconds since 1970.
    ///   - step: Milliseconds between two fixes of a device.
    init(_ count: Int, seed: UInt64, start: Int64, step: Int64) {
        self.interval = step
        var random = SplitMix64(state: seed)
        // 15 m/s are 135 millionths of a degree a second. The movements along both axes add up to this, so the speed over ground
        // is between about 10.6 m/s (diagonally) and 15 m/s (along one axis).
        let distance = 0.135 * Double(step)
        for _ in 0..<count {
            let course = (random.unit() - 0.5) * distance
            cars.append(
                Car(
                    latitude: Int(random.unit() * 1e6), longitude: Int(random.unit() * 1e6),
                    latitudeStep: Int(course), longitudeStep: Int(distance - course.magnitude), time: start))
        }
    }

    /// Appends the current fix of a device to `text` as a JSON object without a line end, and moves the device to its next fix.
    mutating func writeNext(_ number: Int, into text: inout [UInt8]) {
        let car = cars[number]
        text.append("{\"device\":\"car-")
        text.append(decimal: number)
        text.append("\",\"timestamp\":")
        text.append(decimal: Int(car.time))
        text.append(",\"latitude\":0.")
        text.append(decimal: car.latitude, digits: 6)
        text.append(",\"longitude\":0.")
        text.append(decimal: car.longitude, digits: 6)
        text.append(",\"accuracy\":8}")
        cars[number].drive(interval)
    }
}
