extension Device {
    /// Decodes a device from JSON. Members that only answers have, such as the last fix, are ignored.
    ///
    /// A platform without a registry means a simulated registry, as on the command line.
    ///
    /// - Parameter id: The device's id. An id in the JSON must be equal to it.
    /// - Throws: `Problem.validationFailed`, which names the field.
    package init(json: JSONValue, id: String) throws(Problem) {
        var fields = try JSONFields(json, of: .device)
        if let own = try fields.text("id"), own != id {
            throw .validationFailed(
                field: "id", value: own, reason: .idDiffers,
                expected: .thisOrNone(id))
        }
        // The name for people may be shorter than an id.
        let name = try fields.text("name") ?? String(id.prefix(120))
        let groups = try fields.texts("groups")
        var own = try DeviceDefaults(&fields)
        let platform = try fields.oneOf("platform", Platform.self)
        let registry = try fields.oneOf("registry", Registry.self) ?? (platform == nil ? .none : .simulated)
        let autoRepair = try fields.flag("autoRepair") ?? false
        let inputTimeZone = try fields.text("inputTimeZone")
        let inherited = fields.value("inherited")
        fields.allow(
            "lastFix", "isDoubted", "inside", "silentSince", "notEvaluated", "problemCodes", "problems", "refusedInput",
            "deletion",
            "hasOwnTracksKey")
        try fields.finish()
        if registry != .none, platform == nil {
            throw .validationFailed(
                field: "platform", value: "", reason: Phrase("a device whose registrations are managed needs a platform"),
                expected: Phrase("ios or android"))
        }
        if autoRepair, registry == .none {
            throw .validationFailed(
                field: "autoRepair", value: "true", reason: .nothingToRepair,
                expected: Phrase("false, or a registry"))
        }
        self.init(
            id: id, name: name, groups: groups, platform: platform, registry: registry, autoRepair: autoRepair)
        self.inputTimeZone = inputTimeZone
        if let inherited {
            // Inherited values do not become the device's own when a client sends an answer back.
            self.inherited = try InheritedDefaults(json: inherited)
            own.removeValues(equalTo: try InheritedDefaults.values(inherited))
        }
        self.own = own
        if let flaw { throw flaw }
    }
}
