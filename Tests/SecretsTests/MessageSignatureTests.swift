import Testing

@testable import Secrets

@Suite("Message signatures")
struct MessageSignatureTests {
    // Test case 2 of RFC 4231, 4.3, and the empty message.
    @Test(
        "Signatures agree with HMAC-SHA256",
        arguments: [
            ("what do ya want for nothing?", "Jefe", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ])
    func vectors(text: String, secret: String, code: String) {
        #expect(MessageSignature.hexadecimal(of: text, secret: secret) == code)
    }

    // By Python's hmac: hmac.new(b"k" * 1000, b"x", hashlib.sha256).
    @Test("Secrets longer than a block are accepted")
    func long() {
        #expect(
            MessageSignature.hexadecimal(of: "x", secret: String(repeating: "k", count: 1000))
                == "f298c893536ef60a0683d1e79a44c9bd5c5ceae167a54ae8c4189bca3f6f2a35")
    }
}
