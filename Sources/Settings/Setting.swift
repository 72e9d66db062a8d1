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
        case silentAfter = "silent-after"
        case policy
        case quietHours = "quiet-hours"
        case autoRepairInterval = "auto-repair-interval"
        case appReportMaxAge = "app-report-max-age"
        case emergencyNumber = "emergency-number"
        case supportContact = "support-contact"
        case mapTiles = "map-tiles"
        case mapAttribution = "map-attribution"
        case noPrivateSinks = "no-private-sinks"
        case logLevel = "log-level"
        case logFormat = "log-format"
        case logFile = "log-file"
        case server, token
        /// Certificates that the command line trusts when it connects to a running service.
        case serverAuthorities = "server-ca"
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
    package let isAllowedInFile: Bool

    /// - Parameters:
    ///   - form: The `placeholder`.
    ///   - meaning: The `summary`.
    ///   - standard: The `defaultText`.
    init(
        _ name: Name, scope: Scope, placeholder: String, summary: String, defaultText: String? = nil, isSecret: Bool = false,
        isList: Bool = false, isInFile: Bool = true
    ) {
        self.name = name
        self.scope = scope
        self.placeholder = placeholder
        self.summary = summary
        self.defaultText = defaultText
        self.isSecret = isSecret
        self.isList = isList
        self.isAllowedInFile = isInFile
    }

    /// The name of the environment variable, for example `PICKET_LOG_LEVEL`.
    package var environmentVariable: String { "PICKET_" + name.rawValue.uppercased().replacing("-", with: "_") }

    /// All settings, in the order in which help texts and the manual list them.
    package static let all: [Setting] = Name.allCases.map(named)

    /// The setting with this name.
    package static func named(_ name: Name) -> Setting {
        switch name {
        case .data: Setting(name, scope: .all, placeholder: "DIR", summary: "The data directory", isInFile: false)
        case .language:
            Setting(
                name, scope: .all, placeholder: "TAG", summary: "Of problems, health and explanations: en or tr",
                defaultText: "en",
                isInFile: false)
        case .listen:
            Setting(
                name, scope: .serve, placeholder: "HOST:PORT", summary: "Where to listen; port 0 takes a free one",
                defaultText: "127.0.0.1:7575")
        case .durability:
            Setting(
                name, scope: .serve, placeholder: "KIND",
                summary: "full: synced before the answer; normal: survives a kill, not a power cut", defaultText: "full"
            )
        case .tlsCertificate:
            Setting(name, scope: .serve, placeholder: "FILE", summary: "Certificate chain in PEM: speak HTTPS; goes with tls-key")
        case .tlsKey: Setting(name, scope: .serve, placeholder: "FILE", summary: "The certificate's private key in PEM")
        case .publicURL:
            Setting(name, scope: .serve, placeholder: "URL", summary: "How others reach the service, when not by its own address")
        case .trustedProxy:
            Setting(
                name, scope: .serve, placeholder: "LIST",
                summary: "Addresses whose X-Forwarded-For is believed, as 10.0.0.0/8,::1",
                isList: true)
        case .maxBody:
            Setting(
                name, scope: .serve, placeholder: "BYTES", summary: "The most bytes of a request's body, as 16M",
                defaultText: "16M")
        case .maxConnections:
            Setting(name, scope: .serve, placeholder: "N", summary: "The most connections at once", defaultText: "4096")
        case .mqtt:
            Setting(
                name, scope: .serve, placeholder: "URL",
                summary: "The MQTT broker where OwnTracks apps publish, as mqtts://USER:PASSWORD@HOST", isSecret: true
            )
        case .mqttAuthorities:
            Setting(
                name, scope: .serve, placeholder: "FILE", summary: "Certificates in PEM to trust there, in place of the system's")
        case .keepPositions:
            Setting(
                name, scope: .serve, placeholder: "DURATION", summary: "Forget positions after so long, as 90d; 0 keeps none",
                defaultText: "forever")
        case .silentAfter:
            Setting(
                name, scope: .serve, placeholder: "DURATION",
                summary: "A device is silent when nothing was heard for so long, as 30m; its own value and its groups' go first",
                defaultText: "6h")
        case .policy:
            Setting(
                name, scope: .serve, placeholder: "POLICY",
                summary: "exact, balanced or phone, or JSON, for devices without a policy of their own or of a group",
                defaultText: "balanced")
        case .quietHours:
            Setting(
                name, scope: .serve, placeholder: "TIMES",
                summary: "When sinks are sent nothing but emergencies, as '22:00-07:00', for devices without other quiet hours")
        case .autoRepairInterval:
            Setting(
                name, scope: .serve, placeholder: "DURATION",
                summary: "How often phones' registrations are looked after; 0: never",
                defaultText: "15m")
        case .appReportMaxAge:
            Setting(
                name, scope: .serve, placeholder: "DURATION",
                summary: "How long an app's report of its regions tells its health; 0: for ever", defaultText: "1d")
        case .emergencyNumber:
            Setting(
                name, scope: .serve, placeholder: "NUMBER",
                summary: "Whom to call when a device raises an alarm; else the emergency number of the country")
        case .supportContact:
            Setting(
                name, scope: .serve, placeholder: "CONTACT",
                summary: "Where people get help: an address of mail, or https://; problems name it")
        case .mapTiles:
            Setting(
                name, scope: .serve, placeholder: "URL",
                summary: "Pictures of the dashboard's map, as https://tile.example.org/{z}/{x}/{y}.png; else it is a plain one")
        case .mapAttribution: Setting(name, scope: .serve, placeholder: "TEXT", summary: "Whose map that is; goes with map-tiles")
        case .noPrivateSinks:
            Setting(
                name, scope: .serve, placeholder: "",
                summary: "Let sinks lead to the public Internet alone, not to this machine or private networks",
                defaultText: "no")
        case .logLevel:
            Setting(
                name, scope: .serve, placeholder: "LEVEL", summary: "error, warning, info or debug (with places)",
                defaultText: "info")
        case .logFormat:
            Setting(name, scope: .serve, placeholder: "KIND", summary: "text, or json: one object a line", defaultText: "text")
        case .logFile:
            Setting(
                name, scope: .serve, placeholder: "FILE",
                summary: "Write the log there, not to standard error; SIGHUP opens it again")
        case .server:
            Setting(
                name, scope: .client, placeholder: "URL", summary: "The running service to go through, as http://127.0.0.1:7575")
        case .token: Setting(name, scope: .client, placeholder: "TOKEN", summary: "What lets a command in there", isSecret: true)
        case .serverAuthorities:
            Setting(
                name, scope: .client, placeholder: "FILE", summary: "Certificates in PEM to trust there, in place of the system's"
            )
        }
    }
}
