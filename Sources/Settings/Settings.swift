import Model

/// How Picket is set: every setting's value, and where it came from.
public struct Settings: Sendable {
    /// A certificate and its key, as the paths of files in PEM.
    public struct TLS: Hashable, Sendable {
        public var certificate: String
        public var key: String
    }

    /// A broker, and whom to trust there.
    public struct MQTT: Hashable, Sendable {
        public var broker: BrokerAddress
        /// A file of certificates in PEM to trust in place of the system's.
        public var authorities: String?

        public init(broker: BrokerAddress, authorities: String? = nil) {
            self.broker = broker
            self.authorities = authorities
        }
    }

    /// The path of the data directory.
    public let dataDirectory: String
    public let language: Language

    // Of a service
    public let listen: ListenAddress
    public let durability: Durability
    /// Nil: plain HTTP.
    public let tls: TLS?
    /// How others reach the service, without a slash at its end; nil: by its own address.
    public let publicURL: String?
    /// Whose `X-Forwarded-For` is believed.
    public let trustedProxies: [AddressRange]
    /// The most bytes of a request's body.
    public let maxBody: Int
    public let maxConnections: Int
    /// Where OwnTracks apps publish; nil: only HTTP.
    public let mqtt: MQTT?
    /// After so many seconds a position is forgotten; 0: kept no longer than it is needed to decide; nil: kept for ever.
    public let keepPositions: Double?
    /// Seconds from one look at the managed phones to the next; nil: never.
    public let autoRepairInterval: Double?
    /// Seconds after which an app's report of its regions says nothing any more.
    public let appReportMaxAge: Double
    /// Whom to call when a device raises an alarm; nil: the emergency number of the country.
    public let emergencyNumber: String?
    /// Where people get help; nil: nowhere.
    public let supportContact: SupportContact?
    /// Where the pictures of the dashboard's map come from; nil: it draws a plain one.
    public let mapTiles: MapTiles?
    /// Whether sinks may lead to this machine and to private networks.
    public let allowsPrivateSinks: Bool
    public let logLevel: LogLevel
    public let logFormat: LogFormat

    // Of a command that goes through a service
    /// Without a slash at its end.
    public let server: String?
    public let token: String?
    /// A file of certificates in PEM to trust in place of the system's.
    public let authorities: String?

    /// A day, in seconds.
    public static let usualAppReportMaxAge = 86_400.0

    /// Every setting as it was written, in the order of `Setting.all`.
    public let values: [SettingValue]

    /// - Parameters:
    ///   - flags: What options say, by the setting's name without dashes; lists with commas.
    ///   - dataDirectory: Where the first `picket.conf` is looked for.
    /// - Throws: `Problem.validationFailed` for a value that cannot be used, naming the option, the variable, or file and line;
    ///   `.decodingFailed` for a `picket.conf` that cannot be read, `.fileFailed` for a file that cannot be opened.
    public init(
        flags: [String: String], environment: [String: String], dataDirectory: String,
        systemFile: String = "/etc/picket/picket.conf"
    ) throws(Problem) {
        let lookup = try SettingsLookup(
            flags: flags, environment: environment, dataDirectory: dataDirectory, systemFile: systemFile)
        var values: [SettingValue] = []
        for setting in Setting.all { values.append(try lookup.value(setting)) }
        try self.init(values, dataDirectory)
    }

    private init(_ values: [SettingValue], _ dataDirectory: String) throws(Problem) {
        func value(_ name: Setting.Name) -> SettingValue {
            values.first { $0.setting.name == name } ?? SettingValue(setting: Setting.of(name), text: nil, source: .standard)
        }
        self.values = values
        self.dataDirectory = dataDirectory
        language = try value(.language).language()
        listen = try value(.listen).listenAddress()
        durability = try value(.durability).word()
        tls = try Settings.tls(certificate: value(.tlsCertificate), key: value(.tlsKey))
        publicURL = try value(.publicURL).url()
        trustedProxies = try value(.trustedProxy).addressRanges()
        maxBody = try value(.maxBody).bytes(in: 1024...1 << 30)
        maxConnections = try value(.maxConnections).whole(in: 1...1_000_000)
        mqtt = try Settings.mqtt(value(.mqtt), authorities: value(.mqttAuthorities))
        keepPositions = try value(.keepPositions).keeping()
        autoRepairInterval = try value(.autoRepairInterval).interval(atLeast: 10)
        appReportMaxAge = try value(.appReportMaxAge).interval(atLeast: 60) ?? .infinity
        emergencyNumber = try value(.emergencyNumber).telephoneNumber()
        supportContact = try value(.supportContact).supportContact()
        mapTiles = try Settings.mapTiles(value(.mapTiles), attribution: value(.mapAttribution))
        allowsPrivateSinks = try !value(.noPrivateSinks).isOn()
        logLevel = try value(.logLevel).word()
        logFormat = try value(.logFormat).word()
        server = try value(.server).url()
        token = try value(.token).filled()
        authorities = try value(.authorities).filled()
    }

    private static func mqtt(_ url: SettingValue, authorities: SettingValue) throws(Problem) -> MQTT? {
        guard let broker = try url.broker() else {
            if try authorities.filled() != nil {
                throw authorities.problem("there is no mqtt to it", expected: "both, or neither")
            }
            return nil
        }
        let trusted = try authorities.filled()
        if trusted != nil, !broker.usesTLS {
            throw authorities.problem("mqtt is an address without TLS", expected: "an address with mqtts://")
        }
        return MQTT(broker: broker, authorities: trusted)
    }

    private static func mapTiles(_ url: SettingValue, attribution: SettingValue) throws(Problem) -> MapTiles? {
        let words = try attribution.filled()
        guard let text = try url.filled() else {
            if words != nil { throw attribution.problem("there is no map-tiles to it", expected: "both, or neither") }
            return nil
        }
        guard let tiles = MapTiles(template: text, attribution: words ?? "") else {
            throw url.problem("no map can be loaded from it", expected: MapTiles.form)
        }
        return tiles
    }

    /// What is wrong with a setting, naming the option, the variable, or file and line that it came from.
    public func problem(with name: Setting.Name, _ reason: String, expected: String) -> Problem {
        let value = values.first { $0.setting.name == name }
        return (value ?? SettingValue(setting: Setting.of(name), text: nil, source: .standard)).problem(
            reason, expected: expected)
    }

    /// The problem of a service whose tokens and positions others on the network can read; nil when TLS, or a proxy that speaks it,
    /// protects them, or when only this machine can reach it.
    public var transportProblem: Problem? {
        let address = publicURL ?? "http://\(listen)"
        let isSafe = publicURL.map { $0.lowercased().hasPrefix("https:") } ?? (tls != nil || listen.isLoopback)
        return isSafe ? nil : .insecureTransport(address: address)
    }

    private static func tls(certificate: SettingValue, key: SettingValue) throws(Problem) -> TLS? {
        switch (try certificate.filled(), try key.filled()) {
        case (let certificate?, let key?): return TLS(certificate: certificate, key: key)
        case (nil, nil): return nil
        case (_?, nil): throw certificate.problem("there is no tls-key to it", expected: "both, or neither")
        case (nil, _?): throw key.problem("there is no tls-cert to it", expected: "both, or neither")
        }
    }
}
