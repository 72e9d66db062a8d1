/// A setting that can be given as an option, in the environment, or in `picket.conf`.
package struct Setting: Sendable {
    /// The setting's name in `picket.conf`, and as an option without the leading dashes.
    package enum Name: String, CaseIterable, Sendable {
        case data, language
        case listen, durability
        case tlsCertificate = "tls-cert"
        case tlsKey = "tls-key"
        case publicURL = "public-url"
        case trustedProxy = "trusted-proxy"
        case maxBody = "max-body"
        case maxConnections = "max-connections"
        case mqtt
        case mqttAuthorities = "mqtt-ca"
        case keepPositions = "keep-positions"
        case autoRepairInterval = "auto-repair-interval"
        case appReportMaxAge = "app-report-max-age"
        case emergencyNumber = "emergency-number"
        case supportContact = "support-contact"
        case mapTiles = "map-tiles"
        case mapAttribution = "map-attribution"
        case noPrivateSinks = "no-private-sinks"
        case logLevel = "log-level"
        case logFormat = "log-format"
        case server, token
        case authorities = "server-ca"
    }

    /// The commands that use a setting.
    package enum Scope: Sendable {
        /// Every command.
        case all
        /// `picket serve`.
        case serve
        /// Commands that connect to a running service.
        case client
    }

    package let name: Name
    package let scope: Scope
    /// The placeholder for the value in help texts; empty for a switch.
    package let form: String
    /// The description in help texts; one line.
    package let meaning: String
    /// The default value as text; nil if there is no default.
    package let standard: String?
    /// Whether the value is secret: it is never shown, and can also be read from a file named by an environment variable.
    package let isSecret: Bool
    /// Whether the setting accepts several values, separated by commas or given as repeated options.
    package let isList: Bool
    /// Whether `picket.conf` may contain the setting. False for settings that are needed before that file is found or read.
    package let isInFile: Bool

    init(
        _ name: Name, _ scope: Scope, _ form: String, _ meaning: String, standard: String? = nil, isSecret: Bool = false,
        isList: Bool = false, isInFile: Bool = true
    ) {
        self.name = name
        self.scope = scope
        self.form = form
        self.meaning = meaning
        self.standard = standard
        self.isSecret = isSecret
        self.isList = isList
        self.isInFile = isInFile
    }

    /// The name of the environment variable, for example `PICKET_LOG_LEVEL`.
    package var variable: String { "PICKET_" + name.rawValue.uppercased().replacing("-", with: "_") }

    /// All settings in the order in which they are shown.
    package static let all: [Setting] = Name.allCases.map(of)

    /// The setting with this name.
    package static func of(_ name: Name) -> Setting {
        switch name {
        case .data: Setting(name, .all, "DIR", "The data directory", isInFile: false)
        case .language:
            Setting(name, .all, "TAG", "Of problems, health and explanations: en or tr", standard: "en", isInFile: false)
        case .listen: Setting(name, .serve, "HOST:PORT", "Where to listen; port 0 takes a free one", standard: "127.0.0.1:7575")
        case .durability:
            Setting(
                name, .serve, "KIND", "full: synced before the answer; normal: survives a kill, not a power cut", standard: "full"
            )
        case .tlsCertificate: Setting(name, .serve, "FILE", "Certificate chain in PEM: speak HTTPS; goes with tls-key")
        case .tlsKey: Setting(name, .serve, "FILE", "The certificate's private key in PEM")
        case .publicURL: Setting(name, .serve, "URL", "How others reach the service, when not by its own address")
        case .trustedProxy:
            Setting(name, .serve, "LIST", "Addresses whose X-Forwarded-For is believed, as 10.0.0.0/8,::1", isList: true)
        case .maxBody: Setting(name, .serve, "BYTES", "The most bytes of a request's body, as 16M", standard: "16M")
        case .maxConnections: Setting(name, .serve, "N", "The most connections at once", standard: "4096")
        case .mqtt:
            Setting(
                name, .serve, "URL", "The MQTT broker where OwnTracks apps publish, as mqtts://USER:PASSWORD@HOST", isSecret: true
            )
        case .mqttAuthorities: Setting(name, .serve, "FILE", "Certificates in PEM to trust there, in place of the system's")
        case .keepPositions:
            Setting(name, .serve, "DURATION", "Forget positions after so long, as 90d; 0 keeps none", standard: "forever")
        case .autoRepairInterval:
            Setting(name, .serve, "DURATION", "How often phones' registrations are looked after; 0: never", standard: "15m")
        case .appReportMaxAge:
            Setting(
                name, .serve, "DURATION", "How long an app's report of its regions tells its health; 0: for ever", standard: "1d")
        case .emergencyNumber:
            Setting(
                name, .serve, "NUMBER", "Whom to call when a device raises an alarm; else the emergency number of the country")
        case .supportContact:
            Setting(
                name, .serve, "CONTACT", "Where people get help: an address of mail, or https://; problems name it")
        case .mapTiles:
            Setting(
                name, .serve, "URL",
                "Pictures of the dashboard's map, as https://tile.example.org/{z}/{x}/{y}.png; else it is a plain one")
        case .mapAttribution: Setting(name, .serve, "TEXT", "Whose map that is; goes with map-tiles")
        case .noPrivateSinks:
            Setting(
                name, .serve, "", "Let sinks lead to the public Internet alone, not to this machine or private networks",
                standard: "no")
        case .logLevel: Setting(name, .serve, "LEVEL", "error, warning, info or debug (with places)", standard: "info")
        case .logFormat: Setting(name, .serve, "KIND", "text, or json: one object a line", standard: "text")
        case .server: Setting(name, .client, "URL", "The running service to go through, as http://127.0.0.1:7575")
        case .token: Setting(name, .client, "TOKEN", "What lets a command in there", isSecret: true)
        case .authorities: Setting(name, .client, "FILE", "Certificates in PEM to trust there, in place of the system's")
        }
    }
}
