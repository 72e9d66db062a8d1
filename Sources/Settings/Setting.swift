/// A setting that can be given as an option, in the environment, or in `picket.conf`.
package struct Setting: Sendable {
    /// The name of the setting in `picket.conf`. The command-line option is the name after two dashes.
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
        /// Certificates that the command line trusts when it connects to a running service.
        case authorities = "server-ca"
    }

    /// The commands that accept a setting.
    package enum Scope: Sendable {
        /// Every command.
        case all
        /// `picket serve`.
        case serve
        /// Commands that can connect to a running service.
        case client
    }

    package let name: Name
    package let scope: Scope
    /// The placeholder for the value in help texts, such as `FILE`; empty for a switch, which has no value.
    package let placeholder: String
    /// The description in help texts; one line.
    package let summary: String
    /// The default value as text; nil if there is no default.
    package let defaultText: String?
    /// Whether the value is secret. A secret is never shown. It can also be in a file whose path is in the environment variable
    /// `variable` with the suffix `_FILE`.
    package let isSecret: Bool
    /// Whether the setting accepts several values, either separated by commas or as repeated options.
    package let isList: Bool
    /// Whether `picket.conf` may contain the setting. False for settings that are needed before `picket.conf` is found or read.
    package let isInFile: Bool

    /// - Parameters:
    ///   - form: The `placeholder`.
    ///   - meaning: The `summary`.
    ///   - standard: The `defaultText`.
    init(
        _ name: Name, scope: Scope, form: String, meaning: String, standard: String? = nil, isSecret: Bool = false,
        isList: Bool = false, isInFile: Bool = true
    ) {
        self.name = name
        self.scope = scope
        self.placeholder = form
        self.summary = meaning
        self.defaultText = standard
        self.isSecret = isSecret
        self.isList = isList
        self.isInFile = isInFile
    }

    /// The name of the environment variable, for example `PICKET_LOG_LEVEL`.
    package var variable: String { "PICKET_" + name.rawValue.uppercased().replacing("-", with: "_") }

    /// All settings, in the order in which help texts and the manual list them.
    package static let all: [Setting] = Name.allCases.map(of)

    /// The setting with this name.
    package static func of(_ name: Name) -> Setting {
        switch name {
        case .data: Setting(name, scope: .all, form: "DIR", meaning: "The data directory", isInFile: false)
        case .language:
            Setting(
                name, scope: .all, form: "TAG", meaning: "Of problems, health and explanations: en or tr", standard: "en",
                isInFile: false)
        case .listen:
            Setting(
                name, scope: .serve, form: "HOST:PORT", meaning: "Where to listen; port 0 takes a free one",
                standard: "127.0.0.1:7575")
        case .durability:
            Setting(
                name, scope: .serve, form: "KIND",
                meaning: "full: synced before the answer; normal: survives a kill, not a power cut", standard: "full"
            )
        case .tlsCertificate:
            Setting(name, scope: .serve, form: "FILE", meaning: "Certificate chain in PEM: speak HTTPS; goes with tls-key")
        case .tlsKey: Setting(name, scope: .serve, form: "FILE", meaning: "The certificate's private key in PEM")
        case .publicURL:
            Setting(name, scope: .serve, form: "URL", meaning: "How others reach the service, when not by its own address")
        case .trustedProxy:
            Setting(
                name, scope: .serve, form: "LIST", meaning: "Addresses whose X-Forwarded-For is believed, as 10.0.0.0/8,::1",
                isList: true)
        case .maxBody:
            Setting(name, scope: .serve, form: "BYTES", meaning: "The most bytes of a request's body, as 16M", standard: "16M")
        case .maxConnections: Setting(name, scope: .serve, form: "N", meaning: "The most connections at once", standard: "4096")
        case .mqtt:
            Setting(
                name, scope: .serve, form: "URL",
                meaning: "The MQTT broker where OwnTracks apps publish, as mqtts://USER:PASSWORD@HOST", isSecret: true
            )
        case .mqttAuthorities:
            Setting(name, scope: .serve, form: "FILE", meaning: "Certificates in PEM to trust there, in place of the system's")
        case .keepPositions:
            Setting(
                name, scope: .serve, form: "DURATION", meaning: "Forget positions after so long, as 90d; 0 keeps none",
                standard: "forever")
        case .autoRepairInterval:
            Setting(
                name, scope: .serve, form: "DURATION", meaning: "How often phones' registrations are looked after; 0: never",
                standard: "15m")
        case .appReportMaxAge:
            Setting(
                name, scope: .serve, form: "DURATION",
                meaning: "How long an app's report of its regions tells its health; 0: for ever", standard: "1d")
        case .emergencyNumber:
            Setting(
                name, scope: .serve, form: "NUMBER",
                meaning: "Whom to call when a device raises an alarm; else the emergency number of the country")
        case .supportContact:
            Setting(
                name, scope: .serve, form: "CONTACT",
                meaning: "Where people get help: an address of mail, or https://; problems name it")
        case .mapTiles:
            Setting(
                name, scope: .serve, form: "URL",
                meaning: "Pictures of the dashboard's map, as https://tile.example.org/{z}/{x}/{y}.png; else it is a plain one")
        case .mapAttribution: Setting(name, scope: .serve, form: "TEXT", meaning: "Whose map that is; goes with map-tiles")
        case .noPrivateSinks:
            Setting(
                name, scope: .serve, form: "",
                meaning: "Let sinks lead to the public Internet alone, not to this machine or private networks",
                standard: "no")
        case .logLevel:
            Setting(name, scope: .serve, form: "LEVEL", meaning: "error, warning, info or debug (with places)", standard: "info")
        case .logFormat: Setting(name, scope: .serve, form: "KIND", meaning: "text, or json: one object a line", standard: "text")
        case .server:
            Setting(name, scope: .client, form: "URL", meaning: "The running service to go through, as http://127.0.0.1:7575")
        case .token: Setting(name, scope: .client, form: "TOKEN", meaning: "What lets a command in there", isSecret: true)
        case .authorities:
            Setting(name, scope: .client, form: "FILE", meaning: "Certificates in PEM to trust there, in place of the system's")
        }
    }
}
