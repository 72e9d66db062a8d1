import Model
import Testing

@Suite("Many geofences over HTTP")
struct GeofenceFileRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private let collection = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"A","radius":100}},
        {"type":"Feature","id":"b","geometry":{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]},"properties":{}},
        {"type":"Feature","id":"c","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"C"}}]}
        """

    @Test("Go in together, and those that are none are named")
    func importing() async throws {
        let answer = try await bench.ask("POST", "/v1/geofences:import", collection, type: "application/geo+json")
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json["imported"]?.double == 1)
        #expect(json["replaced"]?.double == 0)
        #expect(json["refused"]?.array?.count == 2)
        #expect(json.column("refused", "field") == ["geofence 3 'c': radius", "geofence 'b': geometry"])
        let mended = try await bench.ask("POST", "/v1/geofences:import?mend=true", collection).json()
        #expect(mended["imported"]?.double == 2)
        #expect(mended["mended"]?.double == 1)
        #expect(try await bench.json("/v1/geofences").column("geofences", "id") == ["a", "b"])
    }

    @Test("Come as CSV too, and take the place of those with their id")
    func csv() async throws {
        try await bench.add("a", 1, 2)
        let answer = try await bench.ask(
            "POST", "/v1/geofences:import", "id,name,latitude,longitude,radius\na,A,52.5,13.4,100\nb,B,52.5,13.4,100\n",
            type: "text/csv"
        ).json()
        #expect(answer["imported"]?.double == 2)
        #expect(answer["replaced"]?.double == 1)
        #expect(try await bench.json("/v1/geofences/a")["latitude"]?.double == 52.5)
    }

    @Test("Nothing good in it is a refusal, and what is no such file too")
    func nothingGood() async throws {
        let none = #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":null,"properties":{}}]}"#
        #expect(try await bench.ask("POST", "/v1/geofences:import", none).status == 422)
        #expect(try await bench.ask("POST", "/v1/geofences:import", "").status == 415)
        #expect(try await bench.ask("POST", "/v1/geofences:import", "{\"type\":").status == 400)
    }

    @Test("Come out as a FeatureCollection, and going in again they change nothing")
    func export() async throws {
        try await bench.ask("POST", "/v1/geofences:import?mend=true", collection)
        let exported = try await bench.ask("GET", "/v1/geofences:export")
        #expect(exported["Content-Type"] == "application/geo+json")
        #expect(try exported.json()["features"]?.array?.count == 2)
        let again = try await bench.ask("POST", "/v1/geofences:import", exported.text).json()
        #expect(again["imported"]?.double == 2)
        #expect(again["replaced"]?.double == 0)
        #expect(try await bench.ask("GET", "/v1/geofences:export").text == exported.text)
    }

    @Test("Tell which of them overlap")
    func overlaps() async throws {
        try await bench.add("a", 52.5, 13.4, radius: 100)
        try await bench.add("b", 52.5, 13.4, radius: 50)
        try await bench.add("c", 52.5, 13.4, radius: 50)
        try await bench.add("d", 10, 10, radius: 50)
        let all = try await bench.json("/v1/geofences/overlaps")
        #expect(all.column("overlaps", "relation") == ["contains", "contains", "equals"])
        #expect(all["isComplete"]?.bool == true)
        let some = try await bench.json("/v1/geofences/overlaps?limit=2")
        #expect(some["overlaps"]?.array?.count == 2)
        #expect(some["isComplete"]?.bool == false)
        #expect(try await bench.json("/v1/geofences/overlaps?of=c").column("overlaps", "b") == ["a", "b"])
        #expect(try await bench.json("/v1/geofences/overlaps?limit=3")["isComplete"]?.bool == true)
        #expect(try await bench.ask("GET", "/v1/geofences/overlaps?of=x").status == 404)
    }
}
