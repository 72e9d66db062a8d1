import MQTT
import Model
import TestSupport
import Testing

@Suite(
    "A connection to an MQTT broker over TLS", .timeLimit(.minutes(10)),
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

    @Test("Is made when the certificate is trusted and made out to the host")
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

    @Test("Is not made with a certificate that nobody vouches for")
    func untrusted() throws {
        let broker = try broker(SelfSignedCertificate())
        let address = try BrokerAddress(broker.url(user: "anna"))
        let failure = try problem(address, authorities: nil)
        #expect(
            failure?.code == "tlsFailed" && failure?.details?.contains("certificate verify failed") == true,
            "\(String(describing: failure))")
    }

    @Test("Is not made with another authority's certificate")
    func otherAuthority() throws {
        let broker = try broker(SelfSignedCertificate())
        let other = try SelfSignedCertificate()
        let failure = try problem(BrokerAddress(broker.url(user: "anna")), authorities: other.certificate)
        #expect(failure?.code == "tlsFailed", "\(String(describing: failure))")
    }

    @Test("Is not made with a certificate that is made out to another host")
    func otherName() throws {
        let certificate = try SelfSignedCertificate(names: "DNS:broker.example")
        let broker = try broker(certificate)
        let failure = try problem(BrokerAddress(broker.url(user: "anna")), authorities: certificate.certificate)
        #expect(failure?.code == "tlsFailed" && failure?.details?.contains("host name") == true, "\(String(describing: failure))")
    }

    @Test("Says that the file of authorities cannot be read")
    func noAuthorities() throws {
        let problem = try problem(BrokerAddress(host: "localhost", port: 1, usesTLS: true), authorities: "/nonexistent/ca.pem")
        #expect(problem == .fileFailed(path: "/nonexistent/ca.pem", reason: .certificatesUnreadable))
    }

    @Test("Is not made at a port without TLS")
    func plainPort() throws {
        let broker = try MQTTBroker()
        #expect(
            try problem(BrokerAddress(host: "127.0.0.1", port: broker.port, usesTLS: true), authorities: nil)?.code == "tlsFailed"
        )
    }

    @Test("Is not made without TLS at a port that wants it")
    func securePort() throws {
        let broker = try broker(SelfSignedCertificate())
        #expect(try problem(BrokerAddress(host: "127.0.0.1", port: broker.port), authorities: nil)?.code == "noConnection")
    }
}
