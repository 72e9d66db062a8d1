import Registry
import Testing

@Suite struct RegistryErrorTests {
    @Test(arguments: RegistryError.Code.known.filter { $0.number != nil })
    func knownNumberGivesTheVendorsName(_ code: RegistryError.Code) throws {
        #expect(RegistryError.Code(number: try #require(code.number)) == code)
    }

    @Test func unknownNumberIsKept() {
        let code = RegistryError.Code(number: 99)
        #expect(code.number == 99)
        #expect(RegistryError(code).description == "error 99 (99)")
    }
}
