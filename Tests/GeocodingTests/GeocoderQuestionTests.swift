import Geodesy
import Model
import Testing

@testable import Geocoding

@Suite("Questions to a geocoder")
struct GeocoderQuestionTests {
    @Test(
        "A place is sent with four decimals, so that near places are one question",
        arguments: [
            (52.51634, 13.37772, "52.5163,13.3777"), (52.51626, 13.37768, "52.5163,13.3777"), (-0.00004, 0.00006, "0.0,0.0001"),
            (-90, -180, "-90.0,-180.0"),
        ])
    func address(latitude: Double, longitude: Double, key: String) {
        let question = GeocoderQuestion(addressOf: Coordinate(latitude: latitude, longitude: longitude))
        #expect(question.key == key)
        let parts = key.split(separator: ",")
        #expect(
            question.target(in: Language(tag: "de")!)
                == "/reverse?lat=\(parts[0])&lon=\(parts[1])&zoom=18&addressdetails=0&format=jsonv2&accept-language=de")
    }

    @Test("A text is escaped")
    func escaped() {
        #expect(
            GeocoderQuestion.places("Café & Bar").target(in: .english)
                == "/search?q=Caf%C3%A9%20%26%20Bar&limit=5&format=jsonv2&accept-language=en")
    }

    private func answer(_ question: GeocoderQuestion, _ text: String) throws -> JSONValue? {
        question.answer(from: try JSONParser.parse(text))
    }

    @Test("Only answers of Nominatim's API are accepted")
    func answers() throws {
        let address = GeocoderQuestion.address(latitude: 1, longitude: 2)
        #expect(try answer(address, #"{"place_id":1,"display_name":"1, A Street"}"#) == "1, A Street")
        #expect(try answer(address, #"{"error":"Unable to geocode"}"#) == .null)
        for bad in [#"{"error":{"code":400,"message":"no"}}"#, "[]", "{}", #"{"display_name":7}"#, "null"] {
            #expect(try answer(address, bad) == nil, "\(bad)")
        }
        let search = GeocoderQuestion.places("a")
        #expect(try answer(search, "[]") == .array([]))
        for bad in ["{}", #"[{"lat":"1","lon":"2"}]"#, #"[{"display_name":"A","lat":"91","lon":"2"}]"#, "[7]"] {
            #expect(try answer(search, bad) == nil, "\(bad)")
        }
    }

    @Test("A place has its box, or its point as a box, and long names are cut")
    func places() throws {
        let found = try answer(
            .places("a"),
            #"[{"lat":"52.5","lon":"13.4","display_name":"Berlin","boundingbox":["52.3","52.7","13.1","13.8"]},"#
                + "{\"lat\":1,\"lon\":2,\"display_name\":\"\(String(repeating: "x", count: 9000))\"}]")
        #expect(
            found?.array?.first?.description
                == #"{"name":"Berlin","latitude":52.5,"longitude":13.4,"south":52.3,"west":13.1,"north":52.7,"east":13.8}"#)
        let second = try #require(found?.array?.last)
        #expect(second["name"]?.string?.count == 500 && second["south"]?.double == 1 && second["east"]?.double == 2)
    }
}
