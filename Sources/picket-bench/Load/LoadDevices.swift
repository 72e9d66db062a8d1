import Model

/// Devices that drive over one degree by one degree at the equator, in whole millionths of a degree, and their reports.
struct LoadDevices {
    private struct Car {
        var latitude: Int
        var longitude: Int
        var courseLatitude: Int
        var courseLongitude: Int
        /// The time of the next fix in milliseconds since 1970.
        var time: Int64

        mutating func drive(_ step: Int64) {
            time += step
            Self.move(&latitude, &courseLatitude)
            Self.move(&longitude, &courseLongitude)
        }

        /// Moves along one axis, and turns back at the edge.
        private static func move(_ place: inout Int, _ course: inout Int) {
            if !(0..<1_000_000).contains(place + course) { course = -course }
            place += course
        }
    }

    private var cars: [Car] = []
    /// Milliseconds between two fixes of a device.
    private let step: Int64

    /// - Parameters:
    ///   - start: The time of each device's first fix, in milliseconds since 1970.
    ///   - step: Milliseconds between two fixes of a device. The devices drive at 15 m/s.
    init(_ count: Int, seed: UInt64, start: Int64, step: Int64) {
        self.step = step
        var random = SplitMix64(state: seed)
        // 15 m/s are 135 millionths of a degree a second.
        let distance = 0.135 * Double(step)
        for _ in 0..<count {
            let course = (random.unit() - 0.5) * distance
            cars.append(
                Car(
                    latitude: Int(random.unit() * 1e6), longitude: Int(random.unit() * 1e6),
                    courseLatitude: Int(course), courseLongitude: Int(distance - course.magnitude), time: start))
        }
    }

    /// Writes the next fix of a device in Picket's JSON, without a line end, and moves the device.
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
        cars[number].drive(step)
    }
}
