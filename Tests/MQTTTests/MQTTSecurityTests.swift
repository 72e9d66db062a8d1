import MQTT
import Model
import TestSupport
import Testing

@Suite(
    "MQTT connection over TLS", .timeLimit(.minutes(60)),
    .enabled("mosquitto or openssl is not installed") { MQTTBroker.isInstalled && SelfSignedCertificate.isAvailable })
struct MQTTSecurityTests {
    let recorder = ConnectionRecorder()

    private func broker(_ certificate: SelfSignedCertificate) throws -> MQTTBroker {
        var options = MQTTBroker.Options()
        options.certificate = certificate
        options.users = ["anna": "secret"]
        return try MQTTBroker(options)
    }

    private func problem(_ address: BrokerAddress, authorities: String?) throws -> Problem? {
        var options = MQTTOptions(patient: address)
        options.authorities = authorities
        let connection = recorder.connect(options)
        defer { connection.waitUntilEnded() }
        return try recorder.waitUntilEnded()
    }

    @Test("A trusted certificate for the host is accepted")
    func trusted() throws {
        let certificate = try SelfSignedCertificate()
        let broker = try broker(certificate)
        var options = MQTTOptions(patient: try BrokerAddress(broker.url(user: "anna")))
        options.authorities = certificate.certificate
        options.subscriptions = ["t"]
        let connection = recorder.connect(options)
        try recorder.waitUntilConnected()
        for number in 0..<200 { #expect(connection.publish(MQTTMessage("t", "\(number)"), recorder.completion)) }
        #expect(try recorder.wait(forMessages: 200).map(\.text) == (0..<200).map { "\($0)" })
        try recorder.wait(forResults: 200)
        #expect(recorder.successes == 200)
        connection.close()
        #expect(try recorder.waitUntilEnded() == nil)
    }

    @Test("An untrusted certificate is refused")
    func untrusted() throws {
        let broker = try broker(SelfSignedCertificate())
        let address = try BrokerAddress(broker.url(user: "anna"))
        let failure = try problem(address, authorities: nil)
        #expect(
            failure?.code == "tlsFailed" && failure?.details(in: .english)?.contains("certificate verify failed") == true,
            "\(String(describing: failure))")
    }

    @Test("A certificate of another authority is refused")
    func otherAuthority() throws {
        let broker = try broker(SelfSignedCertificate())
        let other = try SelfSignedCertificate()
        let failure = try problem(BrokerAddress(broker.url(user: "anna")), authorities: other.certificate)
        #expect(failure?.code == "tlsFailed", "\(String(describing: failure))")
    }

    @Test("A certificate for another host is refused")
    func otherName() throws {
        let certificate = try SelfSignedCertificate(names: "DNS:broker.example")
        let broker = try broker(certificate)
        let failure = try problem(BrokerAddress(broker.url(user: "anna")), authorities: certificate.certificate)
        #expect(
            failure?.code == "tlsFailed" && failure?.details(in: .english)?.contains("host name") == true,
            "\(String(describing: failure))")
    }

    @Test("An unreadable file of authorities is reported")
    func noAuthorities() throws {
        let problem = try problem(BrokerAddress(host: "localhost", port: 1, usesTLS: true), authorities: "/nonexistent/ca.pem")
        #expect(problem == .fileFailed(path: "/nonexistent/ca.pem", reason: .certificatesUnreadable))
    }

    @Test("TLS to a port without TLS fails")
    func plainPort() throws {
        let broker = try MQTTBroker()
        #expect(
            try problem(BrokerAddress(host: "127.0.0.1", port: broker.port, usesTLS: true), authorities: nil)?.code == "tlsFailed"
        )
    }

    @Test("A connection without TLS to a TLS port fails")
    func securePort() throws {
        let broker = try broker(SelfSignedCertificate())
        #expect(try problem(BrokerAddress(host: "127.0.0.1", port: broker.port), authorities: nil)?.code == "noConnection")
    }
}
