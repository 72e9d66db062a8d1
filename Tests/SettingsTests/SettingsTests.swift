import Foundation
import Model
import Settings
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
    /// A data directory, and a file instead of the system's settings file.
    struct Machine {
        let directory: TemporaryDirectory
        var flags: [String: String] = [:]
        var environment: [String: String] = [:]
        var own: String { directory.path + "/picket.conf" }
        var system: String { directory.path + "/system.conf" }

        init() throws { directory = try TemporaryDirectory() }

        func settings() throws(Problem) -> Settings {
            try Settings(
                flags: flags, environment: environment, dataDirectory: directory.path, systemFile: system)
        }

        func problem() -> Problem? {
            do throws(Problem) {
                _ = try settings()
                return nil
            } catch {
                return error
            }
        }
    }

    private func source(_ settings: Settings, _ name: Setting.Name) -> SettingSource? {
        settings.values.first { $0.setting.name == name }?.source
    }

    @Test("The defaults work without further settings")
    func defaults() throws {
        let settings = try Machine().settings()
        #expect(settings.listen == ListenAddress(host: "127.0.0.1", port: 7575) && settings.listen.isLoopback)
        #expect(settings.durability == .full && settings.tls == nil && settings.publicURL == nil)
        #expect(settings.logLevel == .info && settings.logFormat == .text && settings.language == .english)
        #expect(settings.keepPositions == nil && settings.autoRepairInterval == 900)
        #expect(
            settings.maxBody == 16_777_216 && settings.maxConnections == 4096 && settings.maxConnectionsPerAddress == 1024
                && settings.trustedProxies.isEmpty)
        #expect(settings.server == nil && settings.token == nil && settings.authorities == nil)
        #expect(settings.values.map(\.setting.name) == Setting.Name.allCases)
        #expect(settings.values.allSatisfy { $0.source == .standard })
    }

    @Test("A setting comes from the option, else the environment, else the directory's file, else the system's file")
    func order() throws {
        var machine = try Machine()
        try machine.directory.write("log-level = error\n", to: "system.conf")
        #expect(try machine.settings().logLevel == .error)
        #expect(source(try machine.settings(), .logLevel) == .file(path: machine.system, line: 1))
        try machine.directory.write("# mine\n\n  log-level=debug   # all of it\r\n", to: "picket.conf")
        #expect(try machine.settings().logLevel == .debug)
        #expect(source(try machine.settings(), .logLevel) == .file(path: machine.own, line: 3))
        machine.environment["PICKET_LOG_LEVEL"] = "warning"
        #expect(try machine.settings().logLevel == .warning)
        #expect(source(try machine.settings(), .logLevel) == .environment("PICKET_LOG_LEVEL"))
        machine.flags["log-level"] = "info"
        #expect(try machine.settings().logLevel == .info)
        #expect(source(try machine.settings(), .logLevel) == .flag("--log-level"))
        machine.flags = [:]
        machine.environment["PICKET_LOG_LEVEL"] = ""
        #expect(try machine.settings().logLevel == .debug, "an empty variable says nothing")
    }

    @Test("A secret can come from a file that the environment names, and is never shown")
    func secrets() throws {
        var machine = try Machine()
        let file = try machine.directory.write("picket_abc\n", to: "token")
        machine.environment["PICKET_TOKEN_FILE"] = file
        let settings = try machine.settings()
        #expect(settings.token == "picket_abc")
        let value = try #require(settings.values.first { $0.setting.name == .token })
        #expect(value.source == .secretFile(variable: "PICKET_TOKEN_FILE", path: file))
        #expect(value.shown == "(hidden)")
        machine.environment["PICKET_TOKEN"] = "picket_def"
        #expect(try machine.settings().token == "picket_def")
        machine.environment = ["PICKET_TOKEN_FILE": machine.directory.path + "/nowhere"]
        #expect(machine.problem()?.code == "fileFailed")
        try machine.directory.write("", to: "token")
        machine.environment = ["PICKET_TOKEN_FILE": file]
        #expect(machine.problem()?.code == "fileFailed")
        // Only secrets can be read from their own files.
        machine.environment = ["PICKET_LISTEN_FILE": file]
        #expect(try machine.settings().listen.port == 7575)
    }

    @Test("A broker's URL can come from a file too, and is shown without its password")
    func broker() throws {
        var machine = try Machine()
        #expect(try machine.settings().mqtt == nil)
        let file = try machine.directory.write("mqtts://anna:gehe1m@broker.example:8884\n", to: "broker")
        machine.environment = ["PICKET_MQTT_FILE": file, "PICKET_MQTT_CA": "/ca.pem"]
        let settings = try machine.settings()
        #expect(settings.mqtt?.broker.password == "gehe1m" && settings.mqtt?.broker.port == 8884)
        #expect(settings.mqtt?.authorities == "/ca.pem")
        #expect(
            settings.values.first { $0.setting.name == .mqtt }?.shown == "mqtts://anna:***@broker.example:8884")
        for (url, field) in [
            ("http://anna:gehe1m@broker", "PICKET_MQTT"), ("mqtts://anna:gehe1m@", "PICKET_MQTT"),
            ("anna:gehe1m@broker", "PICKET_MQTT"),
            ("mqtt://anna:gehe1m@broker", "PICKET_MQTT_CA"),
        ] {
            machine.environment = ["PICKET_MQTT": url, "PICKET_MQTT_CA": "/ca.pem"]
            guard case .validationFailed(field, let value, let reason, _) = machine.problem() else {
                Issue.record("\(url): \(String(describing: machine.problem()))")
                continue
            }
            #expect(!(value + reason.description).contains("gehe1m"))
        }
        machine.environment = ["PICKET_MQTT_CA": "/ca.pem"]
        #expect(machine.problem()?.code == "validationFailed")
    }

    @Test(
        "Valid values of each kind are accepted",
        arguments: [
            ("listen", "[::1]:80"), ("listen", "0.0.0.0:0"), ("listen", "localhost:65535"), ("durability", "normal"),
            ("keep-positions", "0"), ("keep-positions", "90d"), ("keep-positions", "forever"), ("auto-repair-interval", "10s"),
            ("auto-repair-interval", "0"), ("max-body", "1024"), ("max-body", "1G"), ("max-body", "512k"),
            ("max-connections", "1"), ("max-connections-per-address", "1"),
            ("public-url", "https://picket.example.org:8443/geo/"), ("trusted-proxy", ""),
            ("trusted-proxy", "10.0.0.0/8, ::1"), ("server", "HTTP://localhost:1"), ("language", "tr_TR.UTF-8"),
            ("cors-origins", ""), ("cors-origins", "https://app.example.org, http://[::1]:3000"),
        ])
    func good(_ name: String, _ text: String) throws {
        var machine = try Machine()
        machine.flags[name] = text
        #expect(machine.problem() == nil)
    }

    @Test("Values are converted to what they mean")
    func meanings() throws {
        var machine = try Machine()
        machine.flags = [
            "keep-positions": "0", "auto-repair-interval": "0", "max-body": "2M", "public-url": "https://a/b/",
            "tls-cert": "c.pem",
            "tls-key": "k.pem", "trusted-proxy": "10.0.0.0/8,::1", "listen": "[::1]:80", "server-ca": "ca.pem",
            "cors-origins": "HTTPS://App.example.org:443,http://localhost:3000,http://[::1]:80,https://a:80",
        ]
        let settings = try machine.settings()
        #expect(settings.keepPositions == 0 && settings.autoRepairInterval == nil && settings.maxBody == 2_097_152)
        #expect(settings.publicURL == "https://a/b")
        #expect(settings.tls?.certificate == "c.pem" && settings.tls?.key == "k.pem")
        #expect(settings.trustedProxies == ["10.0.0.0/8", "::1"].compactMap(AddressRange.init))
        #expect(settings.listen == ListenAddress(host: "::1", port: 80))
        #expect(settings.authorities == "ca.pem")
        // As browsers send them (https://html.spec.whatwg.org/#ascii-serialisation-of-an-origin).
        #expect(settings.corsOrigins == ["https://app.example.org", "http://localhost:3000", "http://[::1]", "https://a:80"])
    }

    @Test(
        "Invalid values are refused with the name of the option",
        arguments: [
            ("listen", "7575"), ("listen", ":7575"), ("listen", "::1:7575"), ("listen", "[::1]"), ("listen", "[abc]:1"),
            ("listen", "h:65536"), ("listen", "h:-1"), ("listen", "a b:1"), ("durability", "FULL"), ("durability", ""),
            ("keep-positions", "90"), ("keep-positions", "never"), ("auto-repair-interval", "9s"), ("max-body", "1023"),
            ("max-body", "2G"), ("max-body", "16MB"), ("max-body", "-1K"), ("max-body", "9999999999999999G"), ("max-body", "M"),
            ("max-connections", "0"), ("max-connections-per-address", "0"), ("max-connections", "many"),
            ("public-url", "picket.example.org"), ("public-url", ""),
            ("public-url", "https://"), ("public-url", "https:///x"), ("public-url", "https://a?b"), ("public-url", "https://ü"),
            ("public-url", "https://me@a"), ("geocoder", "https://key@a"), ("geocoder", "nominatim"),
            ("trusted-proxy", "proxy.example.org"), ("trusted-proxy", "10.0.0.0/33"),
            ("log-level", "loud"), ("log-format", "xml"), ("tls-cert", "c.pem"), ("tls-key", "k.pem"), ("tls-cert", ""),
            ("language", "xx"), ("cors-origins", "*"), ("cors-origins", "null"), ("cors-origins", "https://app.example.org/"),
            ("cors-origins", "https://*.example.org"), ("cors-origins", "app.example.org"), ("cors-origins", "https://a:0"),
            ("cors-origins", "https://a:99999"), ("cors-origins", "https://me@a"), ("cors-origins", "file://a"),
        ] as [(String, String)])
    func bad(_ name: String, _ text: String) throws {
        var machine = try Machine()
        machine.flags[name] = text
        guard case .validationFailed(let field, let value, _, let expected) = machine.problem() else {
            Issue.record("\(name) = \(text) was taken")
            return
        }
        #expect(field == "--" + name && value == text && !expected.description.isEmpty)
    }

    @Test("A problem names the file and the line, or the variable, of an invalid value")
    func places() throws {
        var machine = try Machine()
        try machine.directory.write("\nlisten = nowhere\n", to: "picket.conf")
        guard case .validationFailed(let field, "nowhere", _, _) = machine.problem() else {
            Issue.record("\(String(describing: machine.problem()))")
            return
        }
        #expect(field == "listen (\(machine.own), line 2)")
        machine.environment["PICKET_LISTEN"] = "here"
        guard case .validationFailed("PICKET_LISTEN", "here", _, _) = machine.problem() else {
            Issue.record("\(String(describing: machine.problem()))")
            return
        }
    }

    @Test(
        "A file with an unknown, repeated or malformed setting is refused with its line",
        arguments: [
            ("listen", 1, "not have the form"), ("# x\nlog_level = info", 2, "did you mean 'log-level'?"),
            ("x = 1\n", 1, "there is no setting 'x'"), ("log-level = info\nlog-level = info", 2, "line 1"),
            ("data = /elsewhere", 1, "only by an option or by the environment"), ("= 1", 1, "there is no setting ''"),
        ])
    func badFile(_ text: String, _ line: Int, _ reason: String) throws {
        let machine = try Machine()
        try machine.directory.write(text, to: "picket.conf")
        guard case .decodingFailed(.verbatim(machine.own), line, let said) = machine.problem() else {
            Issue.record("\(String(describing: machine.problem()))")
            return
        }
        #expect(said.description.contains(reason))
    }

    @Test("An unreadable file is reported")
    func unreadable() throws {
        let machine = try Machine()
        try FileManager.default.createDirectory(atPath: machine.own, withIntermediateDirectories: false)
        #expect(machine.problem()?.code == "fileFailed")
        let other = try Machine()
        try Data([0xFF, 0xFE]).write(to: URL(filePath: other.own))
        #expect(other.problem()?.code == "decodingFailed")
    }

    @Test("The default language comes from the environment")
    func language() throws {
        var machine = try Machine()
        machine.environment = ["LANG": "tr_TR.UTF-8", "LC_ALL": ""]
        #expect(try machine.settings().language == .turkish)
        #expect(source(try machine.settings(), .language) == .environment("LANG"))
        machine.environment["PICKET_LANGUAGE"] = "en"
        #expect(try machine.settings().language == .english)
        #expect(Language.standard(machine.environment) == .english)
        machine.environment = ["LANG": "C.UTF-8"]
        #expect(try machine.settings().language == .english)
    }

    @Test("A support contact must be an address that people can reach", arguments: ["help", "http://example.org", "a@b c"])
    func supportContact(bad: String) throws {
        var machine = try Machine()
        #expect(try machine.settings().supportContact == nil)
        try machine.directory.write("support-contact = https://example.org/help\n", to: "picket.conf")
        #expect(try machine.settings().supportContact?.description == "https://example.org/help")
        machine.environment["PICKET_SUPPORT_CONTACT"] = bad
        guard case .validationFailed("PICKET_SUPPORT_CONTACT", bad, _, let expected) = machine.problem() else {
            Issue.record("\(String(describing: machine.problem()))")
            return
        }
        #expect(expected == .supportContact)
    }

    @Test(
        "A URL of map tiles must contain the three placeholders",
        arguments: [
            "https://tile.example.org/{z}/{x}.png", "ftp://tile.example.org/{z}/{x}/{y}", "tiles/{z}/{x}/{y}",
            "https://a.example.org; script-src *//{z}/{x}/{y}", "https://{s}.example.org/{z}/{x}/{y}.png",
            "https://u:p@example.org/{z}/{x}/{y}",
        ])
    func mapTiles(bad: String) throws {
        var machine = try Machine()
        #expect(try machine.settings().mapTiles == nil)
        machine.environment["PICKET_MAP_TILES"] = "HTTPS://[::1]:80/{z}/{x}/{y}?key=1"
        #expect(try machine.settings().mapTiles?.origin == "https://[::1]:80")
        machine.environment["PICKET_MAP_TILES"] = bad
        guard case .validationFailed("PICKET_MAP_TILES", bad, _, let expected) = machine.problem() else {
            Issue.record("\(String(describing: machine.problem()))")
            return
        }
        #expect(expected == .mapTiles)
        machine.environment["PICKET_MAP_TILES"] = nil
        machine.environment["PICKET_MAP_ATTRIBUTION"] = "Somebody"
        #expect(machine.problem() != nil)
    }

    @Test("Scheduled backups need an absolute path, and have a daily interval and seven files unless set otherwise")
    func backups() throws {
        var machine = try Machine()
        #expect(try machine.settings().backups == nil)
        machine.environment["PICKET_BACKUP_TO"] = "/mnt/nas/"
        let schedule = try #require(try machine.settings().backups)
        #expect(schedule.folder == "/mnt/nas" && schedule.interval == 86_400 && schedule.count == 7 && schedule.command == nil)
        for (name, value) in [
            ("TO", "nas"), ("EVERY", "9m"), ("EVERY", "0"), ("EVERY", "often"), ("KEEP", "0"), ("COMMAND", "cp"),
        ] {
            var other = machine
            other.environment["PICKET_BACKUP_" + name] = value
            guard case .validationFailed("PICKET_BACKUP_" + name, value, _, _) = other.problem() else {
                Issue.record("\(name) \(value): \(String(describing: other.problem()))")
                continue
            }
        }
        machine.environment["PICKET_BACKUP_COMMAND"] = "/usr/local/bin/copy"
        #expect(try machine.settings().backups?.command == "/usr/local/bin/copy")
        machine.environment["PICKET_BACKUP_TO"] = nil
        #expect(machine.problem() != nil)
    }

    @Test("Each setting has a name, a variable and a meaning")
    func table() {
        #expect(Setting.named(.logLevel).environmentVariable == "PICKET_LOG_LEVEL")
        for setting in Setting.all {
            #expect(!setting.summary.isEmpty && (!setting.placeholder.isEmpty || setting.name == .noPrivateSinks))
        }
        #expect(Setting.all.filter(\.isSecret).map(\.name) == [.mqtt, .token])
    }
}
