import Geodesy
import Model

extension Fix {
    /// The fields of `shortJSON`. For speed, the intake and the live streams write this JSON with their own code.
    package static let shape = JSONShape<Fix>(
        "Fix", summary: "A position",
        .init("latitude", kind: .number, summary: "Degrees", content: \.coordinate.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.coordinate.longitude),
        .init("accuracy", optional: .number, summary: "Radius in meters, 68 %", content: \.accuracy),
        .init("timestamp", kind: .time, summary: "When the device was there", content: \.time)
    ) { latitude, longitude, accuracy, time in
        Fix(time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: accuracy)
    }
}

extension JSONKind<Fix> {
    static var fix: Self { .object(of: Fix.shape) }
}
