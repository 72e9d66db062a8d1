extension Device {
    /// Reads a device's own fields. What only answers have (the last fix, the fences that it is in) is passed over.
    ///
    /// A platform without a registry means a simulated one, as on the command line.
    ///
    /// - Parameter id: The device's id; one in the form itself must be the same.
    /// - Throws: `Problem.validationFailed` that names the field.
    public init(json: JSONValue, id: String) throws(Problem) {
        var fields = try JSONFields(json, of: "a device")
        if let own = try fields.text("id"), own != id {
            throw .validationFailed(
                field: "id", value: own, reason: "it is not the one that is asked for, and ids do not change",
                expected: "'\(id)', or none")
        }
        // A name for people is shorter than an id may be.
        let name = try fields.text("name") ?? String(id.prefix(120))
        let groups = try fields.texts("groups")
        let policy = try fields.value("policy").map { json throws(Problem) in try PolicyOverride(json: json) }
        let platform = try fields.oneOf("platform", Platform.self)
        let registry = try fields.oneOf("registry", Registry.self) ?? (platform == nil ? .none : .simulated)
        let autoRepair = try fields.flag("autoRepair") ?? false
        let silentAfter = try fields.number("silentAfter") ?? Device.usualSilence
        let keepPositions = try Self.keeping(&fields)
        fields.pass("lastFix", "isDoubted", "inside", "silentSince", "problems", "refusedInput", "deletion", "hasOwnTracksKey")
        try fields.finish()
        if registry != .none, platform == nil {
            throw .validationFailed(
                field: "platform", value: "", reason: "a device whose registrations are managed needs one",
                expected: "ios or android")
        }
        if autoRepair, registry == .none {
            throw .validationFailed(
                field: "autoRepair", value: "true", reason: "the device has no registry: there is nothing to repair",
                expected: "false, or a registry")
        }
        self.init(
            id: id, name: name, groups: groups, policy: policy ?? PolicyOverride(), platform: platform, registry: registry,
            autoRepair: autoRepair, silentAfter: silentAfter, keepPositions: keepPositions)
        if let flaw { throw flaw }
    }

    /// Seconds, or `forever`.
    private static func keeping(_ fields: inout JSONFields) throws(Problem) -> Double? {
        fields.value("keepPositions")?.string == "forever" ? .infinity : try fields.number("keepPositions")
    }
}
