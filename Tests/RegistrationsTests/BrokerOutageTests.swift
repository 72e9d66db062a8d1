import Foundation
import TestSupport
import Testing

@testable import Registrations

@Suite("Broker outages", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct BrokerOutageTests {
    @Test("When the broker is killed repeatedly, no position is lost and each is stored once")
    func midStream() async throws {
        var options = MQTTBroker.Options()
        options.isPersistent = true
        let bench = try BrokerBench(options)
        try bench.wait(for: .connected)
        var phone = try MQTTPhone(bench.broker.url)
        let steps = 240
        for step in 0..<steps {
            if step % 40 == 20 {
                // The last messages may be in transit to the service and not yet acknowledged.
                try bench.broker.save()
                bench.broker.kill()
                try bench.wait(for: .reconnecting)
                try bench.broker.start()
                phone = try MQTTPhone(bench.broker.url)
            }
            // For some steps the phone publishes while the service is not connected.
            if step % 40 == 30 {
                bench.advance(by: 60)
                try bench.wait(for: .connected)
            }
            try phone.publish(
                "owntracks/jane/phone",
                #"{"_type":"location","lat":\#(50 + Double(step) / 1000),"lon":13.4,"acc":8,"tst":\#(1_777_629_600 + step)}"#)
        }
        try bench.waitUntilHandled(phone)
        let latitudes = try await bench.latitudes(of: "jane/phone")
        let published: [Double] = (0..<steps).map { step in 50.0 + Double(step) / 1000.0 }
        #expect(latitudes == published)
        #expect(bench.states.count { $0 == .reconnecting } == 6 && bench.states.count { $0 == .connected } == 7)
        #expect(try await bench.problem() == nil)
    }
}
