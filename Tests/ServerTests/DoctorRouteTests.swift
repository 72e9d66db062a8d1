import Foundation
import HTTPServer
import Model
import Operations
import Settings
import TestSupport
import Testing

@testable import Server

@Suite("Doctor of a service")
struct DoctorRouteTests {
    @Test("The service diagnoses itself, in the language of the request, for admins only")
    func diagnosis() async throws {
        let bench = try ServerBench(flags: ["support-contact": "help@example.org"])
        try await bench.ask("PUT", "/v1/devices/anna", body: #"{"id":"anna"}"#)
        for (language, message) in [
            ("en", "anna has never reported a position."), ("tr", "anna hiç konum bildirmedi."),
        ] {
            let answer = try await bench.ask("GET", "/v1/doctor", headers: ["Accept-Language": language])
            #expect(answer.status == 200)
            let json = try answer.json()
            #expect(json["version"] == "test" && json["checkedAt"]?.string == "2026-11-20T12:00:00.000Z")
            let finding = json["findings"]?.array?.first { $0["code"] == "neverReported" }
            #expect(finding?["message"]?.string == message && finding?["deviceId"] == "anna")
            #expect(finding?["area"] == "devices" && finding?["severity"] == "warning")
        }
        _ = try await bench.ask("POST", "/v1/tokens", body: #"{"name":"r","role":"reader"}"#)
        #expect(try await bench.ask("GET", "/v1/doctor").status == 401)
    }

    // MARK: - Certificate

    private func findings(_ flags: [String: String], at now: Instant = SystemClock().now()) throws -> [DoctorFinding] {
        ServerCertificate.findings(
            try Settings(flags: flags, environment: [:], dataDirectory: "/nowhere", systemFile: "/none"), at: now)
    }

    @Test(
        "A certificate that expires soon or names another host is a finding",
        .enabled("openssl is not installed") { SelfSignedCertificate.isAvailable })
    func certificate() throws {
        let made = try SelfSignedCertificate(names: "DNS:picket.example,IP:192.0.2.7")
        let files = ["tls-cert": made.certificate, "tls-key": made.key]
        func with(_ more: [String: String]) -> [String: String] { files.merging(more) { $1 } }
        let certificate = try #require(
            try ServerCertificate(Settings(flags: files, environment: [:], dataDirectory: "/nowhere", systemFile: "/none")))
        let end = certificate.validity.upperBound
        #expect(try findings(files, at: end + -3600) == [.certificateExpires(at: end, days: 0)])
        #expect(try findings(files, at: end + 1).map(\.code) == ["validationFailed"])
        func others(_ flags: [String: String]) throws -> [DoctorFinding] {
            try findings(with(flags)).filter { if case .certificateExpires = $0 { false } else { true } }
        }
        #expect(try others(["public-url": "https://picket.example"]) == [])
        #expect(try others(["public-url": "https://other.example:8443/x"]) == [.certificateForOthers(host: "other.example")])
        #expect(try others(["public-url": "https://other.example", "trusted-proxy": "10.0.0.1"]) == [], "the proxy has its own")
        #expect(try others(["listen": "192.0.2.7:7575"]) == [])
        #expect(try others(["listen": "192.0.2.8:7575"]) == [.certificateForOthers(host: "192.0.2.8")])
        #expect(try others(["listen": "0.0.0.0:7575"]) == [] && others(["listen": "127.0.0.1:7575"]) == [])
    }

    @Test(
        "A certificate and key that do not match, or are not there, are a finding",
        .enabled("openssl is not installed") { SelfSignedCertificate.isAvailable })
    func unusable() throws {
        let (one, other) = (try SelfSignedCertificate(), try SelfSignedCertificate())
        #expect(try findings(["tls-cert": one.certificate, "tls-key": other.key]).map(\.code) == ["validationFailed"])
        #expect(try findings(["tls-cert": "/nowhere/a.pem", "tls-key": one.key]).map(\.code) == ["fileFailed"])
        #expect(try findings([:]) == [])
    }
}
