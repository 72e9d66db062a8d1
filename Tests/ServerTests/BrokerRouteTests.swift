import Core
import Foundation
import Model
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Service with an MQTT broker", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct BrokerRouteTests {
    private static let location = #"{"_type":"location","lat":52.5,"lon":13.4,"acc":8,"tst":1795176000}"#
    // Encrypted with the key "s3cr3t" (see `SecretBoxTests`): a location at 52.5163, 13.3777.
    private static let encrypted =
        #"{"_type":"encrypted","data":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX1lFx8RBLgJ1zh0+uo7oPGoeYDKsnpNqNrHoBXiT16R+tcxqLA8IEQ6Qmbq9Da8Ud"#
        + #"VThCAUwZsrn6Mhdj247jiQAO3jsVWThIrOVwW9XD+1WhOmEAERAlQjtbvjZlyWOKTCk+"}"#
    private static let validator = SchemaValidator(OpenAPI.document)

    @Test("Status and metrics show the state of the connection, and what became of its messages")
    func status() async throws {
        let broker = try MQTTBroker()
        let bench = try ServerBench(logLevel: .info, flags: ["mqtt": broker.url])
        try await bench.add("home", 52.5, 13.4)
        let phone = try await BlockingCall.run { try MQTTPhone(broker.url) }
        // Messages that are published before the service has subscribed are lost, so the message is repeated until it arrives.
        var events: JSONValue = [:]
        while events["events"]?.array?.isEmpty ?? true {
            try await BlockingCall.run { try phone.publish("owntracks/jane/phone", Self.location) }
            events = try await bench.json("/v1/events?after=0&wait=1s&device=jane%2Fphone")
        }
        let status = try await bench.json("/v1/status")
        #expect(status["mqtt"]?["state"]?.string == "connected" && status["mqtt"]?["broker"]?.string == broker.url)
        #expect(Self.validator.flaws(of: status, by: JSONSchema.reference(to: "StatusPage")) == [])
        let metrics = try await bench.ask("GET", "/metrics").text
        #expect(metrics.contains(#"picket_mqtt_state{state="connected"} 1"#), "\(metrics)")
        #expect(metrics.contains(#"picket_mqtt_state{state="paused"} 0"#))
        #expect(metrics.contains(#"picket_mqtt_messages_total{outcome="taken"} "#))
        #expect(try bench.log.contains("The broker is connected."))

        // Removing the setting ends the connection.
        let server = bench.server
        let settings = try Settings(
            flags: ["log-level": "error"], environment: [:], dataDirectory: bench.data.path, systemFile: "/nonexistent")
        try await BlockingCall.run { try server.reload(settings) }
        #expect(try await bench.json("/v1/status")["mqtt"] == nil)
        #expect(try await !bench.ask("GET", "/metrics").text.contains("picket_mqtt"))
    }

    @Test("An unreachable broker is a problem, and the service still serves")
    func unreachable() async throws {
        let port = try FreePort.find()
        let bench = try ServerBench(logLevel: .info, flags: ["mqtt": "mqtt://anna:gehe1m@127.0.0.1:\(port)"])
        var problems: [JSONValue] = []
        while problems.isEmpty { problems = try await bench.json("/v1/problems")["problems"]?.array ?? [] }
        #expect(problems.first?["source"]?.string == "mqtt")
        #expect(problems.first?["problem"]?["code"]?.string == "intakeInterrupted")
        let status = try await bench.json("/v1/status")
        #expect(status["mqtt"]?["state"]?.string == "reconnecting")
        #expect(Self.validator.flaws(of: status, by: JSONSchema.reference(to: "StatusPage")) == [])
        try await bench.add("home", 52.5, 13.4)
        #expect(try await bench.move("ben", to: 52.5, 13.4, at: "2026-11-20T10:00:00Z").status == 200)
        for text in [try bench.log, status.description, problems.description] { #expect(!text.contains("gehe1m")) }
    }

    @Test("Encrypted messages are accepted over HTTP too, with a key that is never shown")
    func encryptedOverHTTP() async throws {
        let bench = try ServerBench(logLevel: .debug)
        let path = "/v1/devices/jane%2Fphone"
        #expect(try await bench.ask("PUT", path + "/owntracks-key", body: #"{"key":"s3cr3t"}"#).status == 404)
        #expect(try await bench.ask("PUT", path, body: "{}").status == 201)
        for bad in ["{}", #"{"key":""}"#, #"{"key":7}"#, #"{"key":"\#(String(repeating: "x", count: 33))"}"#, "[]"] {
            #expect(try await bench.ask("PUT", path + "/owntracks-key", body: bad).status == 422, "\(bad)")
        }
        let headers = ["X-Limit-U": "jane", "X-Limit-D": "phone"]
        #expect(try await bench.ask("POST", "/owntracks", body: Self.encrypted, headers: headers).text == "[]")
        #expect(try await bench.json(path)["lastFix"] == nil)
        #expect(try await bench.json(path)["problems"]?.array?.count == 1)

        let saved = try await bench.ask("PUT", path + "/owntracks-key", body: #"{"key":"s3cr3t"}"#)
        #expect(try saved.json().description == #"{"deviceId":"jane/phone","hasOwnTracksKey":true}"#)
        #expect(try await bench.ask("POST", "/owntracks", body: Self.encrypted, headers: headers).text == "[]")
        let device = try await bench.json(path)
        #expect(device["lastFix"]?["latitude"]?.double == 52.5163 && device["hasOwnTracksKey"]?.bool == true)
        // The problem ends when the device has sent readable messages only for a few minutes.
        #expect(device["problems"]?.array?.count == 1)
        // A device as read can be written back.
        #expect(try await bench.ask("PUT", path, body: device.description).status == 200)
        #expect(try await bench.json(path)["hasOwnTracksKey"]?.bool == true)
        let export = try await bench.ask("GET", path + "/export").text
        for text in [export, device.description, try bench.log] { #expect(!text.contains("s3cr3t")) }

        #expect(try await bench.ask("DELETE", path + "/owntracks-key").status == 200)
        #expect(try await bench.json(path)["hasOwnTracksKey"] == nil)
    }
}
