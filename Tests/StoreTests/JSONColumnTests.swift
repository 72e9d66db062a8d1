import Model
import Store
import Testing

@Suite("Columns that hold JSON")
struct JSONColumnTests {
    @Test("A stored language whose catalog was removed is left out")
    func removedLanguage() {
        for tag in ["en", "tr", "system"] {
            let json: JSONValue = ["language": .string(tag), "units": "metric"]
            #expect(json.withAvailableLanguage == json)
        }
        let json: JSONValue = ["language": "xx", "units": "metric"]
        #expect(json.withAvailableLanguage == ["units": "metric"])
    }
}
