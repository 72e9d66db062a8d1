import Model

/// A phone that is to be enrolled: a device, and a token for it alone.
public struct EnrollmentRequest: Hashable, Sendable {
    public var deviceId: String
    /// For people; nil: the device's own, or its id.
    public var name: String?
    /// Of a device that is not there yet. A device that is keeps its own.
    public var platform: Device.Platform?

    public init(deviceId: String, name: String? = nil, platform: Device.Platform? = nil) {
        self.deviceId = deviceId
        self.name = name
        self.platform = platform
    }

    /// Reads `{"name","platform"}`.
    ///
    /// - Throws: `Problem.validationFailed` that names the field.
    public init(json: JSONValue, deviceId: String) throws(Problem) {
        var fields = try JSONFields(json, of: "an enrollment")
        self.init(deviceId: deviceId, name: try fields.text("name"), platform: try fields.oneOf("platform", Device.Platform.self))
        try fields.finish()
    }

    public var json: JSONValue {
        .compact([("name", name.map(JSONValue.string)), ("platform", platform.map { .string($0.rawValue) })])
    }
}
