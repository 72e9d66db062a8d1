import Foundation
import Model
import TestSupport
import Testing

@Suite("Config command")
struct ConfigCommandTests {
    @Test("Each setting is shown with its origin, and secrets are hidden")
    func shows() throws {
        let directory = try TemporaryDirectory()
        var picket = Program(data: directory.path)
        picket.environment = ["PICKET_TOKEN": "picket_secret", "PICKET_LOG_LEVEL": "debug", "LC_ALL": "C"]
        try directory.write("# here\nmax-body = 1M\n", to: "picket.conf")
        let result = try picket.run(
            "config", "--listen", "[::1]:80", "--trusted-proxy", "::1", "--trusted-proxy", "10.0.0.1", "--json")
        #expect(result.status == 0 && !result.output.contains("picket_secret"))
        var found: [String: JSONValue] = [:]
        for line in result.lines {
            let json = try JSONParser.parse(line)
            found[try #require(json["name"]?.string)] = json
        }
        #expect(
            found["listen"]?.description == #"{"name":"listen","value":"[::1]:80","source":{"kind":"option","name":"--listen"}}"#)
        #expect(found["trusted-proxy"]?["value"]?.string == "::1,10.0.0.1")
        #expect(
            found["max-body"]?.description
                == #"{"name":"max-body","value":"1M","source":{"kind":"file","file":"\#(directory.path)/picket.conf","line":2}}"#)
        #expect(found["log-level"]?["source"]?["name"]?.string == "PICKET_LOG_LEVEL")
        #expect(found["token"]?["value"]?.string == "(hidden)")
        #expect(found["durability"]?["source"]?.description == #"{"kind":"default"}"#)
        #expect(found["tls-cert"]?["value"] == .null)
        #expect(found["data"]?["value"]?.string == directory.path)

        let plain = try picket.run("config")
        #expect(plain.lines.contains { $0.hasPrefix("max-body ") && $0.hasSuffix("\(directory.path)/picket.conf, line 2") })
        #expect(!plain.output.contains("picket_secret"))
    }

    @Test("Commands without a service use the settings of devices, as a service does")
    func settingsOfDevices() throws {
        let shell = try Shell()
        try FileManager.default.createDirectory(atPath: shell.picket.data, withIntermediateDirectories: true)
        try "policy = exact\nsilent-after = 30m\n".write(
            toFile: shell.picket.data + "/picket.conf", atomically: true, encoding: .utf8)
        let track = try shell.file(
            "pass.csv",
            """
            device,timestamp,latitude,longitude
            van,2026-05-01T08:00:00Z,52.51,13.4
            van,2026-05-01T08:20:00Z,52.5005,13.4
            van,2026-05-01T08:20:30Z,52.51,13.4

            """)
        try shell.picket.run("geofence", "add", "--id", "yard", "--circle", "52.5,13.4,100")
        // One position inside is a visit by the policy 'exact' only.
        #expect(try shell.picket.run("feed", track, "--dry-run").lines.first?.contains("entered") == true)
        #expect(try shell.picket.run("feed", track).output.contains("2 transitions"))
        func shown() throws -> [String] { try shell.picket.run("device", "show", "van").lines }
        #expect(try shown().contains("  silent after 30 min, from the settings"))
        // Only positions are evaluated by the settings of the environment: other commands leave the devices as they are.
        var picket = shell.picket
        picket.environment["PICKET_POLICY"] = "phone"
        #expect(try picket.run("device", "add", "bus").status == 0)
        #expect(try shown().contains("  policy exact, from the settings"))
        #expect(try picket.run("feed", track).status == 0)
        #expect(try shown().contains("  policy phone, from the settings"))
    }

    @Test("An invalid value is reported with its line")
    func bad() throws {
        let directory = try TemporaryDirectory()
        try directory.write("\ndurability = some\n", to: "picket.conf")
        let result = try Program(data: directory.path).run("config")
        #expect(result.status == 2)
        #expect(result.errors.contains("line 2") && result.errors.contains("full or normal"), "\(result.errors)")
    }
}
