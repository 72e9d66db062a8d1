import Model

/// The values of all settings and their sources.
package struct Settings: Sendable {
    /// A certificate and its private key, as paths of PEM files.
    package struct TLSFiles: Hashable, Sendable {
        package var certificate: String
        package var key: String
    }

    /// An MQTT broker and the certificates that are trusted for it.
    package struct MQTTBroker: Hashable, Sendable {
        package var broker: BrokerAddress
        /// The path of a PEM file with the certificates to trust instead of the operating system's; nil for the operating system's.
        package var authorities: String?

        package init(broker: BrokerAddress, authorities: String? = nil) {
            self.broker = broker
            self.authorities = authorities
        }
    }

    package let dataDirectory: String
    /// The path of the system's `picket.conf`, whether or not the file exists.
    package let systemFile: String
    package let language: Language
    /// The zone of times in text, and of times that are given without a zone.
    package let timeZone: LocalTimeZone

    // Settings of a service
    package private(set) var listen: ListenAddress
    package let durability: Durability
    /// Nil for plain HTTP.
    package let tls: TLSFiles?
    /// The URL at which others reach the service, without a trailing slash; nil if they use its own address.
    package let publicURL: String?
    /// The proxies whose `X-Forwarded-For` header is trusted.
    package let trustedProxies: [AddressRange]
    /// The origins whose pages may use the service from browsers, as browsers send them.
    package let corsOrigins: [String]
    /// The maximum size of a request body in bytes.
    package let maxBody: Int
    package let maxConnections: Int
    /// The maximum number of connections from one address that is not a trusted proxy.
    package let maxConnectionsPerAddress: Int
    /// The broker on which OwnTracks apps publish; nil if only HTTP is used.
    package let mqtt: MQTTBroker?
    /// Seconds for which positions are kept. 0: only as long as they are needed for decisions. Nil: unlimited.
    package let keepPositions: Double?
    /// The values for devices without their own values or of a group.
    package let deviceDefaults: DeviceDefaults
    /// Seconds between automatic repairs of the managed phones' registrations; nil for never.
    package let autoRepairInterval: Double?
    /// The scheduled backups; nil for none.
    package let backups: BackupSchedule?
    /// Seconds after which an app's report of its regions is too old to describe its health; infinite for never.
    package let appReportMaxAge: Double
    /// The telephone number to call after a device raised an alarm; nil for the emergency number of the time zone's country.
    package let emergencyNumber: String?
    /// Where people get help; nil if there is none.
    package let supportContact: SupportContact?
    /// The server of the tiles for the dashboard's map; nil for a plain map without tiles.
    package let mapTiles: MapTiles?
    /// The URL of the server that finds addresses, without a trailing slash; nil for none.
    package let geocoder: String?
    /// Whether sinks may connect to this machine and to private networks.
    package let allowsPrivateSinks: Bool
    package let logLevel: LogLevel
    package let logFormat: LogFormat
    /// The path of the file that the log is written to; nil for standard error.
    package let logFile: String?

    // Settings of commands that connect to a service
    /// The service's URL without a trailing slash.
    package let server: String?
    package let token: String?
    /// The path of a PEM file with the certificates to trust instead of the operating system's; nil for the operating system's.
    package let authorities: String?

    /// The default of `appReportMaxAge`: one day in seconds.
    package static let usualAppReportMaxAge = 86_400.0

    /// The system's `picket.conf` of an installed package.
    package static let usualSystemFile = "/etc/picket/picket.conf"

    /// The values of all settings as text, in the order of `Setting.all`.
    package let values: [SettingValue]

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - flags: The options by the setting's name without dashes. Lists are separated by commas.
    ///   - dataDirectory: The directory whose `picket.conf` is read before the system's.
    /// - Throws: `Problem.validationFailed` for an invalid value, with the name of the option or variable, or the file and line;
    ///   `.decodingFailed` for an invalid `picket.conf`; `.fileFailed` for a file that cannot be opened.
    package init(
        flags: [String: String], environment: [String: String], dataDirectory: String,
        systemFile: String = Settings.usualSystemFile
    ) throws(Problem) {
        let lookup = try SettingsLookup(
            flags: flags, environment: environment, dataDirectory: dataDirectory, systemFile: systemFile)
        var values: [SettingValue] = []
        for setting in Setting.all { values.append(try lookup.value(setting)) }
        try self.init(values, dataDirectory, systemFile, environment)
    }

    private init(
        _ values: [SettingValue], _ dataDirectory: String, _ systemFile: String, _ environment: [String: String]
    ) throws(Problem) {
        func value(_ name: Setting.Name) -> SettingValue {
            values.first { $0.setting.name == name } ?? SettingValue(setting: Setting.named(name), text: nil, source: .standard)
        }
        self.values = values
        self.dataDirectory = dataDirectory
        self.systemFile = systemFile
        language = try value(.language).language()
        timeZone = try value(.timezone).timeZone() ?? .ofMachine(environment)
        listen = try value(.listen).listenAddress()
        durability = try value(.durability).enumCase()
        tls = try Settings.tls(certificate: value(.tlsCertificate), key: value(.tlsKey))
        publicURL = try value(.publicURL).url()
        trustedProxies = try value(.trustedProxy).addressRanges()
        corsOrigins = try value(.corsOrigins).origins()
        maxBody = try value(.maxBody).bytes(in: 1024...1 << 30)
        maxConnections = try value(.maxConnections).integer(in: 1...1_000_000)
        maxConnectionsPerAddress = try value(.maxConnectionsPerAddress).integer(in: 1...1_000_000)
        mqtt = try Settings.mqtt(value(.mqtt), authorities: value(.mqttAuthorities))
        keepPositions = try value(.keepPositions).retentionPeriod()
        var defaults = DeviceDefaults()
        for field in DeviceDefaults.fields {
            // A setting has the name of the option of its field.
            guard let name = (field.option?.name.dropFirst(2)).flatMap({ Setting.Name(rawValue: String($0)) }) else { continue }
            try value(name).set(field, of: &defaults)
        }
        defaults.keepPositions = keepPositions
        deviceDefaults = defaults
        autoRepairInterval = try value(.autoRepairInterval).interval(atLeast: 10)
        backups = try BackupSchedule(
            folder: value(.backupTo), interval: value(.backupEvery), count: value(.backupKeep), command: value(.backupCommand))
        appReportMaxAge = try value(.appReportMaxAge).interval(atLeast: 60) ?? .infinity
        emergencyNumber = try value(.emergencyNumber).telephoneNumber()
        supportContact = try value(.supportContact).supportContact()
        mapTiles = try Settings.mapTiles(value(.mapTiles), attribution: value(.mapAttribution))
        geocoder = try value(.geocoder).url()
        allowsPrivateSinks = try !value(.noPrivateSinks).isOn()
        logLevel = try value(.logLevel).enumCase()
        logFormat = try value(.logFormat).enumCase()
        logFile = try value(.logFile).nonemptyText()
        server = try value(.server).url()
        token = try value(.token).nonemptyText()
        authorities = try value(.serverAuthorities).nonemptyText()
    }

    private static func mqtt(_ url: SettingValue, authorities: SettingValue) throws(Problem) -> MQTTBroker? {
        guard let broker = try url.broker() else {
            if try authorities.nonemptyText() != nil {
                throw authorities.problem(.partnerMissing("mqtt"), expected: .bothOrNeither)
            }
            return nil
        }
        let trusted = try authorities.nonemptyText()
        if trusted != nil, !broker.usesTLS {
            throw authorities.problem(.brokerWithoutTLS, expected: Phrase("an address with mqtts://"))
        }
        return MQTTBroker(broker: broker, authorities: trusted)
    }

    private static func mapTiles(_ url: SettingValue, attribution: SettingValue) throws(Problem) -> MapTiles? {
        let words = try attribution.nonemptyText()
        guard let text = try url.nonemptyText() else {
            if words != nil { throw attribution.problem(.partnerMissing("map-tiles"), expected: .bothOrNeither) }
            return nil
        }
        guard let tiles = MapTiles(template: text, attribution: words ?? "") else {
            throw url.problem(Phrase("no map can be loaded from it"), expected: .mapTiles)
        }
        return tiles
    }

    /// A problem with a setting, with the name of the option or variable, or the file and line, from which it was read.
    package func problem(with name: Setting.Name, _ reason: Phrase, expected: Phrase) -> Problem {
        let value = values.first { $0.setting.name == name }
        return (value ?? SettingValue(setting: Setting.named(name), text: nil, source: .standard)).problem(
            reason, expected: expected)
    }

    /// The problem that others on the network can read tokens and positions; nil if TLS or a TLS proxy protects them, or if only this
    /// machine can connect.
    package var transportProblem: Problem? {
        let address = publicURL ?? "http://\(listen)"
        let isSafe = publicURL.map { $0.lowercased().hasPrefix("https:") } ?? (tls != nil || listen.isLoopback)
        return isSafe ? nil : .insecureTransport(address: address)
    }

    /// The same settings for a service that listens at another address.
    package func listening(at address: ListenAddress) -> Settings {
        var settings = self
        settings.listen = address
        return settings
    }

    private static func tls(certificate: SettingValue, key: SettingValue) throws(Problem) -> TLSFiles? {
        switch (try certificate.nonemptyText(), try key.nonemptyText()) {
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key)
        case (nil, nil): return nil
        case (_?, nil): throw certificate.problem(.partnerMissing("tls-key"), expected: .bothOrNeither)
        case (nil, _?): throw key.problem(.partnerMissing("tls-cert"), expected: .bothOrNeither)
        }
    }
}
