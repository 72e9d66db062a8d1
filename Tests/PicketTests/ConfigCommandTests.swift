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

    @Test("An invalid value is reported with its line")
    func bad() throws {
        let directory = try TemporaryDirectory()
        try directory.write("\ndurability = some\n", to: "picket.conf")
        let result = try Program(data: directory.path).run("config")
        #expect(result.status == 2)
        #expect(result.errors.contains("line 2") && result.errors.contains("full or normal"), "\(result.errors)")
    }
}
