import Model

/// A change other than an event, published to the clients that watch a running service. It is published once and not stored.
package struct ServiceNotice: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// A problem was recorded, resolved or dismissed.
        case problem
        /// The health of a device's registrations has changed.
        case health
        /// An operation of a running repair was completed.
        case repairStep
        /// A repair of a device's registrations has ended.
        case repair
        /// A person has acknowledged an alarm.
        case alarm
        /// The state of the connection to a sink has changed, or another attempt has failed.
        case sink
        /// Geofences were created, changed or removed.
        case geofences
        /// A device was created, changed or removed.
        case devices
        /// An unknown device reports without a valid token for the first time.
        case device
    }

    package var kind: Kind
    /// The id of the device that the change concerns; nil for the whole service.
    package var deviceId: String?
    /// In English.
    var json: JSONValue
    /// In the other languages; empty if the JSON has no sentences.
    private var translations: [Language: JSONValue] = [:]

    /// A notice without sentences.
    package init(_ kind: Kind, deviceId: String?, _ json: JSONValue) {
        self.kind = kind
        self.deviceId = deviceId
        self.json = json
    }

    /// A notice with sentences.
    package init(_ kind: Kind, deviceId: String?, in json: (Language) -> JSONValue) {
        self.init(kind, deviceId: deviceId, json(.english))
        for language in Language.allCases where language != .english { translations[language] = json(language) }
    }

    package func json(in language: Language) -> JSONValue { translations[language] ?? json }
}

extension ServiceNotice {
    /// A notice that a device was created, changed or removed: `{"deviceId","isRemoved"}`.
    package init(ofDevice id: String, isRemoved: Bool = false) {
        self.init(.devices, deviceId: id, ["deviceId": .string(id), "isRemoved": .bool(isRemoved)])
    }
}
