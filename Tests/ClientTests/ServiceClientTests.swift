import Client
import Core
import Model
import Settings
import TestSupport
import Testing

@Suite("The client of the API")
struct ServiceClientTests {
    private func client(of server: LoopbackServer) throws -> ServiceClient {
        let settings = try Settings(
            flags: ["server": server.url], environment: [:], dataDirectory: "/nowhere", systemFile: "/none")
        return try ServiceClient(#require(ServiceAddress(settings)), in: .english)
    }

    /// The targets of the requests without the prefix of all of them.
    private func targets(_ server: LoopbackServer) -> [String] {
        server.requests.map { String($0.split(separator: " ")[1].dropFirst("/v1/".count)) }
    }

    @Test("The status is read once, and the numbers that are counted only with its first page")
    func status() throws {
        let server = try LoopbackServer { request, _ in
            let isFirst = !request.contains("after=")
            let device = #"{"deviceId":"\#(isFirst ? "anna" : "ben")","name":"","inside":[]}"#
            var body = #"{"devices":[\#(device)],"problems":{"standing":3,"escalated":1},"sinks":{"total":2,"notConnected":1}"#
            if isFirst { body += #","next":"anna""# }
            if request.contains("totals=true") { body += #","totals":{"geofences":1,"devices":2,"fixes":3,"events":4}"# }
            return LoopbackServer.answer("200 OK", body: body + "}")
        }
        let status = try client(of: server).status()
        #expect(status.devices.map(\.device.id) == ["anna", "ben"])
        #expect(status.totals.fixes == 3 && status.problems == .init(standing: 3, escalated: 1))
        #expect(status.sinks?["notConnected"]?.double == 1 && status.broker == nil)
        #expect(targets(server) == ["status?totals=true&limit=1000", "status?limit=1000&after=anna"])
    }

    @Test("The contents of a device are counted by the service")
    func contents() throws {
        let server = try LoopbackServer { request, _ in
            let isOfVisits = request.contains("/visits/")
            return LoopbackServer.answer(
                "200 OK",
                body: isOfVisits ? #"{"totals":[]}"# : #"{"deletion":{"positions":7,"of":7},"eventCount":1000000}"#)
        }
        let contents = try client(of: server).contents(ofDevice: "anna")
        #expect(contents == DeviceContents(positions: 7, events: 1_000_000, visits: 0))
        #expect(targets(server).map { $0.split(separator: "?")[0] } == ["devices/anna", "visits/totals"])
    }
}
