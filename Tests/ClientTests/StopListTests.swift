import Client
import Core
import Model
import Settings
import TestSupport
import Testing

@Suite("The stops of a device, as the client gets them")
struct StopListTests {
    @Test(
        "A request for addresses is repeated while too many others wait for the geocoder, but not forever", arguments: [3, 1000])
    func busy(refusals: Int) throws {
        let server = try LoopbackServer { _, number in
            let problem = #","addressProblem":{"code":"rateLimited","message":"Wait.","parameters":{"retryAfter":0}}"#
            return LoopbackServer.answer("200 OK", body: #"{"stops":[]\#(number < refusals ? problem : "")}"#)
        }
        let settings = try Settings(
            flags: ["server": server.url], environment: [:], dataDirectory: "/nowhere", systemFile: "/none")
        let client = try ServiceClient(#require(ServiceAddress(settings)), in: .english)
        let list = try client.stops(ofDevice: "van", since: nil, until: nil, minDuration: nil) { _ in }
        let problem: Problem? = refusals == 3 ? nil : .rateLimited(retryAfter: 0)
        #expect(list.addressProblem == problem)
        #expect(server.requests.count == (refusals == 3 ? 4 : 13))
        #expect(server.requests.allSatisfy { $0.contains("/v1/devices/van/stops?addresses=true ") })
    }
}
