import Foundation
import Model
import TestSupport
import Testing

@Suite("Stops command")
struct StopCommandTests {
    private let directory: TemporaryDirectory
    private let picket: Program
    private let endpoint: ScriptedEndpoint

    /// A store with one stop of the devices `bus` and `van` each, at different places. No service runs.
    init() throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
        endpoint = try ScriptedEndpoint.geocoder()
        var csv = "device,timestamp,latitude,longitude\n"
        for (device, latitude) in [("bus", 52.5), ("van", 48.1)] {
            for (minute, step) in [(10, 0.0), (20, 0), (21, 0.1), (22, 0.2)] {
                csv += "\(device),2026-05-04T06:\(minute):00Z,\(latitude + step),13.44\n"
            }
        }
        #expect(try picket.run("feed", "-", "--quiet", input: csv).status == 0)
    }

    private func setGeocoder() throws {
        try Data("geocoder = \(endpoint.url)\n".utf8).write(to: URL(filePath: picket.data + "/picket.conf"))
    }

    @Test("With --addresses, tables, CSV and JSON have the address of each stop, and each place is asked for once")
    func addresses() throws {
        try setGeocoder()
        let text = try picket.run("stops", "--addresses")
        #expect(text.status == 0 && text.errors.isEmpty, "\(text)")
        #expect(text.lines.first?.hasSuffix("PLACE        ADDRESS") == true, "\(text.output)")
        #expect(text.lines.count == 4 && text.lines[1].hasSuffix("52.5, 13.44  Street 52.5 13.44, en"))
        #expect(text.lines[3] == "Addresses: © OpenStreetMap contributors")
        let csv = try picket.run("stops", "--addresses", "--format", "csv")
        #expect(csv.lines.first?.hasSuffix(",longitude,positions,address") == true)
        #expect(csv.lines.last?.hasSuffix(#",13.44,2,"Street 48.1 13.44, en""#) == true, "\(csv.output)")
        let json = try picket.run("stops", "--addresses", "--json", "--device", "van")
        let stop = try JSONParser.parse(json.output)
        #expect(stop["address"] == "Street 48.1 13.44, en" && stop["attribution"] == "© OpenStreetMap contributors")
        #expect(endpoint.requests.count == 2)

        let plain = try picket.run("stops", "--format", "csv")
        #expect(plain.lines.first?.hasSuffix(",positions") == true && !plain.output.contains("Street"))
        #expect(try picket.run("stops", "--addresses", "--language", "de").output.contains("Street 52.5 13.44, de"))
    }

    @Test("An address cannot change the terminal, and a long one is shown as a whole")
    func printable() throws {
        try setGeocoder()
        let long = String(repeating: "x", count: 200)
        endpoint.script { _, _ in .answer(200, body: "{\"display_name\":\"A\u{202E}B \(long)\"}") }
        let text = try picket.run("stops", "--addresses", "--device", "van")
        #expect(text.lines.count == 3 && text.lines[1].hasSuffix("  A\\u{202e}B \(long)"), "\(text.output)")
    }

    @Test("When the geocoder fails, the stops are listed, the reason is on standard error, and the status is 1")
    func failure() throws {
        try setGeocoder()
        endpoint.script { _, _ in .answer(500, body: "out of order") }
        let result = try picket.run("stops", "--addresses", "--device", "bus", "--device", "van")
        #expect(result.status == 1 && result.lines.count == 3 && result.lines[1].hasSuffix("52.5, 13.44  -"), "\(result)")
        #expect(result.errors.hasPrefix("Geocoder failed: "), "\(result.errors)")
        #expect(result.errors.contains(endpoint.url) && result.errors.contains("out of order"))
        // The second device's stops are not asked for, because the geocoder has just failed.
        #expect(endpoint.requests.count == 1)
    }

    @Test("Without a geocoder, the problem names the option and the setting")
    func missing() throws {
        let result = try picket.run("stops", "--addresses")
        #expect(result.status == 2 && result.output.isEmpty, "\(result)")
        #expect(result.errors.contains("--addresses cannot be used: the service has no geocoder"), "\(result.errors)")
        #expect(result.errors.contains("the setting 'geocoder'"), "\(result.errors)")
    }
}
