import Secrets
import Testing

@Suite struct DigestTests {
    @Test(
        "A digest is that of the standard's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ])
    func examples(text: String, digest: String) {
        #expect(Digest.hexadecimal(of: text) == digest)
    }
}
