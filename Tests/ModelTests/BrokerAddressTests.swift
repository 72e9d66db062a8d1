import Model
import Testing

@Suite("Broker addresses")
struct BrokerAddressTests {
    @Test(
        "An address is parsed from a URL",
        arguments: [
            ("mqtt://broker", BrokerAddress(host: "broker", port: 1883)),
            ("mqtts://broker/", BrokerAddress(host: "broker", port: 8883, usesTLS: true)),
            ("MQTT://10.0.0.7:11883", BrokerAddress(host: "10.0.0.7", port: 11883)),
            ("mqtt://[::1]", BrokerAddress(host: "::1", port: 1883)),
            ("mqtts://[2001:db8::7]:1", BrokerAddress(host: "2001:db8::7", port: 1, usesTLS: true)),
            ("mqtt://anna@broker", BrokerAddress(host: "broker", port: 1883, user: "anna")),
            ("mqtt://anna:@broker", BrokerAddress(host: "broker", port: 1883, user: "anna", password: "")),
            (
                "mqtt://an%40na:p:%2F%25@broker:1884",
                BrokerAddress(host: "broker", port: 1884, user: "an@na", password: "p:/%")
            ),
            ("mqtt://anna:a@b@broker", BrokerAddress(host: "broker", port: 1883, user: "anna", password: "a@b")),
        ])
    func read(_ text: String, _ address: BrokerAddress) throws {
        #expect(try BrokerAddress(text) == address)
    }

    @Test(
        "An invalid URL is refused, and the password is not repeated",
        arguments: [
            ("broker:1883", "broker:1883"), ("http://broker", "http://broker"), ("mqtt://", "mqtt://"),
            ("mqtt://:1883", "mqtt://:1883"),
            ("mqtt://broker:", "mqtt://broker:"), ("mqtt://broker:0", "mqtt://broker:0"),
            ("mqtt://broker:65536", "mqtt://broker:65536"),
            ("mqtt://broker/topic", "mqtt://broker/topic"), ("mqtt://br oker", "mqtt://br oker"),
            ("mqtt://a:secret@", "mqtt://a:***@"), ("mqtt://:secret@broker", "mqtt://:***@broker"),
            ("mqtt://a:secret%zz@broker", "mqtt://a:***@broker"), ("mqtt://a:sec/ret@broker", "mqtt://a:***@broker"),
            ("mqtt://a:secret%00@broker", "mqtt://a:***@broker"),
            ("wss://a:secret@broker", "wss://a:***@broker"), ("mqtt:a:secret@broker", "mqtt:***@broker"),
            ("a:secret@broker", "a:***@broker"),
        ])
    func refused(_ text: String, _ shown: String) {
        do throws(Problem) {
            _ = try BrokerAddress(text, field: "--mqtt")
            Issue.record("'\(text)' was taken")
        } catch {
            guard case .validationFailed("--mqtt", shown, let reason, let expected) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(!reason.description.contains("secret") && expected == .brokerURL)
        }
    }

    @Test("An address is shown without user and password")
    func shown() throws {
        #expect(try "\(BrokerAddress("mqtts://anna:secret@broker"))" == "mqtts://broker:8883")
        #expect(try "\(BrokerAddress("mqtt://[::1]"))" == "mqtt://[::1]:1883")
        #expect(BrokerAddress.masked("mqtt://anna:se@cret@broker") == "mqtt://anna:***@broker")
    }

    @Test("An address knows whether its password would be sent in clear text")
    func clear() throws {
        #expect(try BrokerAddress("mqtt://anna:secret@broker").sendsPasswordInClear)
        for safe in [
            "mqtts://anna:secret@broker", "mqtt://anna:secret@127.0.0.1", "mqtt://anna:secret@localhost", "mqtt://broker",
        ] {
            #expect(try !BrokerAddress(safe).sendsPasswordInClear)
        }
    }
}
