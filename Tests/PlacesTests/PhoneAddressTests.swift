import Model
import Settings
import TestSupport
import Testing

@testable import Places

@Suite("Address for phones")
struct PhoneAddressTests {
    @Test(
        "The address follows the settings, and its problem is named",
        arguments: [
            ("127.0.0.1:7575", nil, "http://127.0.0.1:7575", "unreachableByPhones"),
            ("[::1]:7575", nil, "http://[::1]:7575", "unreachableByPhones"),
            ("192.168.1.5:7575", nil, "http://192.168.1.5:7575", "insecureTransport"),
            ("0.0.0.0:7575", nil, "http://192.0.2.7:7575", "insecureTransport"),
            ("[::]:7575", nil, "http://192.0.2.7:7575", "insecureTransport"),
            ("127.0.0.1:7575", "https://picket.example.org/p", "https://picket.example.org/p", nil),
            ("0.0.0.0:7575", "http://picket.example.org", "http://picket.example.org", "insecureTransport"),
            ("0.0.0.0:7575", "http://localhost:7575", "http://localhost:7575", "unreachableByPhones"),
        ] as [(String, String?, String, String?)])
    func address(listen: String, publicURL: String?, expected: String, code: String?) throws {
        var flags = ["listen": listen]
        flags["public-url"] = publicURL
        let directory = try TemporaryDirectory()
        let settings = try Settings(
            flags: flags, environment: [:], dataDirectory: directory.path, systemFile: directory.path + "/no"
        )
        let address = PhoneAddress(settings) { "192.0.2.7" }
        #expect(address.url == expected)
        #expect(address.problems.map(\.code) == [code].compactMap { $0 })
    }

    @Test("The address has the actual port, and a machine without a network is unreachable by phones")
    func port() throws {
        let directory = try TemporaryDirectory()
        let settings = try Settings(
            flags: ["listen": "0.0.0.0:0"], environment: [:], dataDirectory: directory.path,
            systemFile: directory.path + "/no")
        #expect(PhoneAddress(settings, port: 1234) { "192.0.2.7" }.url == "http://192.0.2.7:1234")
        #expect(PhoneAddress(settings, port: 1234) { nil }.problems.map(\.code) == ["unreachableByPhones"])
    }
}
