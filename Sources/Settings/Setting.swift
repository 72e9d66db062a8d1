import Model

/// A setting that can be given as an option, in the environment, or in `picket.conf`.
package struct Setting: Sendable {
    /// The name of the setting in `picket.conf`. The command-line option is the name after two dashes.
    package enum Name: String, CaseIterable, Sendable {
        case data, language, timezone
        case listen, durability
        case tlsCertificate = "tls-cert"
        case tlsKey = "tls-key"
        case publicURL = "public-url"
        case trustedProxy = "trusted-proxy"
        case corsOrigins = "cors-origins"
        case maxBody = "max-body"
        case maxConnections = "max-connections"
        case maxConnectionsPerAddress = "max-connections-per-address"
        case mqtt
        case mqttAuthorities = "mqtt-ca"
        case keepPositions = "keep-positions"
        case silentAfter = "silent-after"
        case policy
        case quietHours = "quiet-hours"
        case autoRepairInterval = "auto-repair-interval"
        case backupTo = "backup-to"
        case backupEvery = "backup-every"
        case backupKeep = "backup-keep"
        case backupCommand = "backup-command"
        case appReportMaxAge = "app-report-max-age"
        case emergencyNumber = "emergency-number"
        case supportContact = "support-contact"
        case mapTiles = "map-tiles"
        case mapAttribution = "map-attribution"
        case geocoder
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
    package var scope = Scope.serve
    /// The placeholder for the value in help texts, such as `FILE`; empty for a switch, which has no value.
    package let placeholder: String
    /// The description in help texts; one line.
    package let summary: String
    /// The default value as text; nil if there is no default.
    package var defaultText: String?
    /// Whether the value is secret. A secret is never shown. It can also be in a file whose path is in the environment variable
    /// `variable` with the suffix `_FILE`.
    package var isSecret = false
    /// Whether the setting accepts several values, either separated by commas or as repeated options.
    package var isList = false
    /// Whether `picket.conf` may contain the setting. False for settings that are needed before `picket.conf` is found or read.
    package var isAllowedInFile = true

    /// Whether the value is the path of a file whose content the service or a command needs.
    package var namesNeededFile: Bool {
        switch name {
        case .tlsCertificate, .tlsKey, .mqttAuthorities, .serverAuthorities, .backupCommand: true
        default: false
        }
    }

    /// The name of the environment variable, for example `PICKET_LOG_LEVEL`.
    package var environmentVariable: String { "PICKET_" + name.rawValue.uppercased().replacing("-", with: "_") }

    /// All settings, in the order in which help texts and the manual list them.
    package static let all: [Setting] = Name.allCases.map(named)

    /// The setting with this name.
    package static func named(_ name: Name) -> Setting {
        switch name {
        case .data:
            Setting(name: name, scope: .all, placeholder: "DIR", summary: "Data directory", isAllowedInFile: false)
        case .language:
            Setting(
                name: name, scope: .all, placeholder: "TAG", summary: "Language of messages: \(Language.tags)", defaultText: "en",
                isAllowedInFile: false)
        case .timezone:
            Setting(
                name: name, scope: .all, placeholder: "ZONE",
                summary: "Time zone of times, for example Europe/Berlin; default: that of $TZ or the machine")
        case .listen:
            Setting(
                name: name, placeholder: "HOST:PORT", summary: "Address to listen on; port 0 chooses a free port",
                defaultText: "127.0.0.1:7575")
        case .durability:
            Setting(
                name: name, placeholder: "KIND",
                summary:
                    "full: synced to disk before the answer; normal: survives a crash of the service, but not a power failure",
                defaultText: "full")
        case .tlsCertificate:
            Setting(name: name, placeholder: "FILE", summary: "Certificate chain in PEM, to serve HTTPS; needs tls-key")
        case .tlsKey:
            Setting(name: name, placeholder: "FILE", summary: "Private key of the certificate, in PEM")
        case .publicURL:
            Setting(
                name: name, placeholder: "URL", summary: "Address by which others reach the service, if it differs from listen")
        case .trustedProxy:
            Setting(
                name: name, placeholder: "LIST",
                summary: "Addresses of proxies whose X-Forwarded-For is trusted, for example 10.0.0.0/8,::1", isList: true)
        case .corsOrigins:
            Setting(
                name: name, placeholder: "LIST",
                summary: "Origins whose pages may use the service from browsers, for example https://app.example.org",
                isList: true)
        case .maxBody:
            Setting(
                name: name, placeholder: "BYTES", summary: "Maximum size of a request's body, for example 16M", defaultText: "16M"
            )
        case .maxConnections:
            Setting(name: name, placeholder: "N", summary: "Maximum number of simultaneous connections", defaultText: "4096")
        case .maxConnectionsPerAddress:
            Setting(
                name: name, placeholder: "N",
                summary: "Maximum number of simultaneous connections from one address; trusted proxies may have more",
                defaultText: "1024")
        case .mqtt:
            Setting(
                name: name, placeholder: "URL",
                summary: "MQTT broker to which OwnTracks apps publish, for example mqtts://USER:PASSWORD@HOST", isSecret: true)
        case .mqttAuthorities:
            Setting(
                name: name, placeholder: "FILE",
                summary: "Certificates in PEM to trust for the MQTT broker, instead of those of the system")
        case .keepPositions:
            Setting(
                name: name, placeholder: "DURATION",
                summary:
                    "How long positions are kept, for example 90d; 0 keeps none; for devices without their own value or one of a group",
                defaultText: "forever")
        case .silentAfter:
            Setting(
                name: name, placeholder: "DURATION",
                summary:
                    "Time without a message after which a device is silent, for example 30m; for devices without their own value or one of a group",
                defaultText: "6h")
        case .policy:
            Setting(
                name: name, placeholder: "POLICY",
                summary:
                    "Decision policy: exact, balanced, phone or JSON; for devices without their own policy or one of a group",
                defaultText: "balanced")
        case .quietHours:
            Setting(
                name: name, placeholder: "TIMES",
                summary:
                    "When sinks get only emergencies, for example '22:00-07:00'; for devices without their own quiet hours or those of a group"
            )
        case .autoRepairInterval:
            Setting(
                name: name, placeholder: "DURATION",
                summary: "How often the registrations of phones are checked and repaired; 0: never", defaultText: "15m")
        case .backupTo:
            Setting(
                name: name, placeholder: "DIR",
                summary: "Directory to which the service writes scheduled backups; default: no scheduled backups")
        case .backupEvery:
            Setting(
                name: name, placeholder: "DURATION", summary: "How often a scheduled backup is made; needs backup-to",
                defaultText: "1d")
        case .backupKeep:
            Setting(
                name: name, placeholder: "N", summary: "How many scheduled backups are kept in backup-to", defaultText: "7")
        case .backupCommand:
            Setting(
                name: name, placeholder: "PROGRAM",
                summary: "Program that gets the path of each scheduled backup, for example to copy it elsewhere; needs backup-to")
        case .appReportMaxAge:
            Setting(
                name: name, placeholder: "DURATION",
                summary: "How long an app's report of its regions is used for its health; 0: forever", defaultText: "1d")
        case .emergencyNumber:
            Setting(
                name: name, placeholder: "NUMBER",
                summary: "Telephone number to call when a device raises an alarm; default: that of the time zone's country")
        case .supportContact:
            Setting(
                name: name, placeholder: "CONTACT",
                summary: "Where people get help, shown with problems: an email address or an https:// address")
        case .mapTiles:
            Setting(
                name: name, placeholder: "URL",
                summary:
                    "Tiles of the dashboard's map, for example https://tile.example.org/{z}/{x}/{y}.png; default: a map without tiles"
            )
        case .mapAttribution:
            Setting(name: name, placeholder: "TEXT", summary: "Attribution of the map; needs map-tiles")
        case .geocoder:
            Setting(
                name: name, placeholder: "URL",
                summary:
                    "Server that finds addresses, with Nominatim's API, for example https://nominatim.openstreetmap.org; default: none"
            )
        case .noPrivateSinks:
            Setting(
                name: name, placeholder: "",
                summary: "Allow sinks on the public Internet only, not on this machine or in private networks", defaultText: "no")
        case .logLevel:
            Setting(
                name: name, placeholder: "LEVEL", summary: "error, warning, info or debug; debug includes positions",
                defaultText: "info")
        case .logFormat:
            Setting(name: name, placeholder: "KIND", summary: "text, or json with one object per line", defaultText: "text")
        case .logFile:
            Setting(
                name: name, placeholder: "FILE",
                summary: "Write the log to this file instead of standard error; SIGHUP reopens it")
        case .server:
            Setting(
                name: name, scope: .client, placeholder: "URL",
                summary: "Address of the running service to use, for example http://127.0.0.1:7575")
        case .token:
            Setting(
                name: name, scope: .client, placeholder: "TOKEN", summary: "Access token for the running service", isSecret: true)
        case .serverAuthorities:
            Setting(
                name: name, scope: .client, placeholder: "FILE",
                summary: "Certificates in PEM to trust for the running service, instead of those of the system")
        }
    }
}
