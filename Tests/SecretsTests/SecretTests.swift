import Foundation
import Testing

@testable import Secrets

@Suite("Secrets")
struct SecretTests {
    @Test("A token is 32 random bytes behind a prefix, in characters that fit a header and a URL")
    func tokens() throws {
        let tokens = (0..<1000).map { _ in Secret.token() }
        #expect(Set(tokens).count == 1000)
        for token in tokens {
            #expect(token.hasPrefix("picket_") && token.utf8.count == 50)
            #expect(
                token.utf8.allSatisfy { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8.contains($0) })
        }
        // Every character of the alphabet occurs, so no byte is truncated.
        #expect(Set(tokens.joined().dropFirst(7)).count == 64)
    }

    @Test("Base64URL agrees with Foundation's Base64, apart from the alphabet and the padding")
    func base64() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 250) }
            let expected = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
                "=", with: "")
            #expect(Secret.base64URL(bytes) == expected)
        }
    }

    @Test("A short name is easy to read aloud")
    func names() {
        let names = (0..<1000).map { _ in Secret.name() }
        #expect(Set(names).count == 1000)
        #expect(names.allSatisfy { $0.utf8.count == 8 && $0.allSatisfy { $0.isASCII && ($0.isNumber || $0.isLowercase) } })
    }
}
