import Model

/// A request to enroll a phone: a device, and a token for only that device.
package struct EnrollmentRequest: Hashable, Sendable {
    package var deviceId: String
    /// The display name; nil for the device's existing name or its id.
    var name: String?
    /// The platform for a new device. An existing device keeps its own.
    var platform: Device.Platform?

    package init(deviceId: String, name: String?, platform: Device.Platform?) {
        self.deviceId = deviceId
        self.name = name
        self.platform = platform
    }

    /// Reads `{"name","platform"}`.
    ///
    /// - Throws: `Problem.validationFailed` with the name of the invalid field.
    package init(json: JSONValue, deviceId: String) throws(Problem) {
        var fields = try JSONFields(json, of: .enrollment)
        self.init(deviceId: deviceId, name: try fields.text("name"), platform: try fields.oneOf("platform", Device.Platform.self))
        try fields.finish()
    }
}

extension EnrollmentRequest: JSONWritable {
    package static let output = JSONOutput<EnrollmentRequest>(
        "NewEnrollment", summary: "A phone to enroll",
        .init("name", optional: .text, summary: "The name for people; the id when omitted", content: \.name),
        .init("platform", optional: .word, summary: "The platform of a new device", content: \.platform))
}
