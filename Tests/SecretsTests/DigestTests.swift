import Secrets
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "Digests agree with the examples of the standard",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func examples(text: String, digest: String) {
        #expect(Digest.hexadecimal(of: text) == digest)
        #expect(Array(text.utf8).withUnsafeBytes { Digest(of: $0) } == Digest(of: text))
    }

    @Test("A digest is parsed from its own hexadecimal form, and from no other text")
    func hexadecimal() {
        let digest = Digest(of: "abc")
        let text = digest.hexadecimal
        #expect(Digest(hexadecimal: text) == digest)
        for other in ["", String(text.dropLast()), text + "0", text.uppercased(), "g" + text.dropFirst(), " " + text.dropFirst()]
        {
            #expect(Digest(hexadecimal: other) == nil, "\(other)")
        }
    }

    @Test("Digests that differ in one byte are different")
    func equality() {
        let text = Digest(of: "abc").hexadecimal
        for index in stride(from: 0, to: 64, by: 2) {
            var digits = Array(text)
            digits[index] = digits[index] == "0" ? "1" : "0"
            #expect(Digest(hexadecimal: String(digits)) != Digest(of: "abc"), "byte \(index / 2)")
        }
    }
}
