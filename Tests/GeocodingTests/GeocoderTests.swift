import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Geocoding

@Suite("The geocoder")
struct GeocoderTests {
    /// Time that passes only while the geocoder sleeps.
    private final class Pace: Sendable {
        private let state = Mutex<(now: Double, waits: [Double])>((100, []))
        var waits: [Double] { state.withLock { $0.waits } }
        func now() -> Double { state.withLock { $0.now } }
        func pass(_ seconds: Double) { state.withLock { $0.now += seconds } }
        func sleep(_ seconds: Double) {
            state.withLock { state in
                state.waits.append(seconds)
                state.now += seconds
            }
        }
    }

    private static let question = GeocoderQuestion.address(latitude: 525_163, longitude: 133_777)

    private let pace = Pace()

    private func geocoder(_ endpoint: ScriptedEndpoint, pause: Double? = nil) -> Geocoder {
        let pace = pace
        return Geocoder(
            endpoint.url + "/nominatim", version: "1.2.3", pause: pause, uptime: { pace.now() }, sleep: { pace.sleep($0) })
    }

    @Test("A request names Picket, the place and the language")
    func request() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(200, body: #"{"display_name":"Pariser Platz, Berlin"}"#) }
        let answer = try await geocoder(endpoint).ask(Self.question, in: .turkish)
        #expect(answer == "Pariser Platz, Berlin")
        let request = try #require(endpoint.requests.first)
        #expect(request.headers["user-agent"] == "Picket/1.2.3")
        #expect(request.target.hasPrefix("/nominatim/reverse?lat=52.5163&lon=13.3777&"))
        #expect(request.target.hasSuffix("accept-language=tr"))
    }

    @Test("Requests follow each other after a pause, over one connection, however many wait")
    func rate() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(200, body: #"{"display_name":"A"}"#) }
        let geocoder = geocoder(endpoint, pause: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<5 {
                group.addTask { _ = try await geocoder.ask(.address(latitude: number, longitude: 0), in: .english) }
            }
            try await group.waitForAll()
        }
        #expect(pace.waits == [1, 1, 1, 1])
        #expect(endpoint.requests.count == 5 && endpoint.connectionCount == 1)
    }

    @Test("A geocoder on this machine or in a private network is asked without pauses, and one on the Internet once a second")
    func pauses() throws {
        for (url, pause) in [
            ("http://127.0.0.1:8080", 0.0), ("http://localhost/n", 0), ("http://192.168.1.9", 0), ("https://[::1]", 0),
            ("https://nominatim.openstreetmap.org", 1), ("https://8.8.8.8", 1),
        ] {
            #expect(Geocoder(url, version: "1").pause == pause, "\(url)")
        }
    }

    @Test("After failures the server is not asked for increasing times, and the problem is repeated")
    func rest() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(503, body: "overloaded") }
        let geocoder = geocoder(endpoint)
        func problem() async throws -> Problem? {
            do throws(Problem) { _ = try await geocoder.ask(Self.question, in: .english) } catch { return error }
            return nil
        }
        for (delay, requests) in [(1.0, 1), (2, 2), (4, 3)] {
            let first = try await problem()
            #expect(first?.code == "geocoderFailed" && endpoint.requests.count == requests)
            pace.pass(delay - 0.01)
            #expect(try await problem() == first && endpoint.requests.count == requests)
            pace.pass(0.01)
        }
        endpoint.script { _, _ in .answer(429, headers: ["Retry-After: 600"]) }
        #expect(try await problem()?.code == "geocoderFailed")
        pace.pass(599)
        #expect(try await problem()?.code == "geocoderFailed" && endpoint.requests.count == 4)
        pace.pass(1)
        endpoint.script { _, _ in .answer(200, body: #"{"error":"Unable to geocode"}"#) }
        #expect(try await problem() == nil && endpoint.requests.count == 5)
    }

    @Test(
        "What is not an answer of Nominatim's API is a problem",
        arguments: [
            (ScriptedEndpoint.Step.answer(200, body: "<html>"), "geocoderFailed"), (.answer(200, body: "[]"), "geocoderFailed"),
            (.answer(404, body: #"{"detail":"Not Found"}"#), "geocoderFailed"), (.endless(200), "tooLarge"),
            (.reset, "noConnection"),
            (.answer(301, headers: ["Location: https://example.org"]), "geocoderFailed"),
            (.answer(403, body: "{}"), "geocoderFailed"),
        ])
    func bad(step: ScriptedEndpoint.Step, code: String) async throws {
        let endpoint = try ScriptedEndpoint { _, _ in step }
        do throws(Problem) {
            _ = try await geocoder(endpoint).ask(Self.question, in: .english)
            Issue.record("it is an answer")
        } catch {
            #expect(error.code == code, "\(error)")
            #expect("\(error)".contains(endpoint.url), "\(error)")
        }
    }

    @Test("A place without an address is an answer, also with the status 404")
    func nothing() async throws {
        for status in [200, 404] {
            let endpoint = try ScriptedEndpoint { _, _ in .answer(status, body: #"{"error":"Unable to geocode"}"#) }
            #expect(try await geocoder(endpoint).ask(Self.question, in: .english) == .null)
        }
    }

    @Test("A request asks for ten seconds, and the next one asks for what is left; a failure ends it")
    func patience() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(200, body: #"{"display_name":"A"}"#) }
        let geocoder = geocoder(endpoint, pause: 1)
        let questions = (0..<30).map { GeocoderQuestion.address(latitude: $0 / 2, longitude: 0) }
        var answers = GeocoderAnswers()
        #expect(await answers.ask(questions, of: geocoder, in: .english, hasLeft: { false }).count == 12)
        #expect(answers.pending == 3 && answers.problem == nil)
        let requests = endpoint.requests.count
        #expect(await answers.ask(questions, of: geocoder, in: .english, hasLeft: { true }).isEmpty)
        #expect(answers.pending == 3 && endpoint.requests.count == requests)
        #expect(await answers.ask(questions, of: geocoder, in: .english, hasLeft: { false }).count == 3)
        #expect(answers.pending == 0 && endpoint.requests.count == 15)
        endpoint.script { _, _ in .answer(500) }
        var others = GeocoderAnswers()
        #expect(await others.ask(questions, of: geocoder, in: .english, hasLeft: { false }).isEmpty)
        #expect(others.pending == 0 && others.problem?.code == "geocoderFailed" && endpoint.requests.count == 16)
    }

    @Test(
        "The refusal of one question does not delay others",
        arguments: [
            ScriptedEndpoint.Step.answer(400, body: "{}"), .answer(404, body: "<html>"), .answer(414), .answer(422),
            .endless(200),
        ])
    func refusedQuestion(step: ScriptedEndpoint.Step) async throws {
        let endpoint = try ScriptedEndpoint { request, _ in
            request.target.contains("lat=52.5163") ? step : .answer(200, body: #"{"display_name":"A"}"#)
        }
        let geocoder = geocoder(endpoint)
        let other = GeocoderQuestion.address(latitude: 1, longitude: 2)
        var answers = GeocoderAnswers()
        let new = await answers.ask([Self.question, other], of: geocoder, in: .english, hasLeft: { false })
        #expect(new == [other: "A"] && answers.pending == 0 && answers.problem != nil)
        #expect(endpoint.requests.count == 2)
    }

    @Test("A request ends after three refused questions")
    func mostFailures() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(404, body: "<html>") }
        let questions = (0..<9).map { GeocoderQuestion.address(latitude: $0, longitude: 0) }
        var answers = GeocoderAnswers()
        #expect(await answers.ask(questions, of: geocoder(endpoint), in: .english, hasLeft: { false }).isEmpty)
        #expect(answers.pending == 0 && answers.problem?.code == "geocoderFailed" && endpoint.requests.count == 3)
    }

    @Test("A question whose client has left is not sent when it has its turn")
    func left() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .answer(200, body: #"{"display_name":"A"}"#) }
        let geocoder = geocoder(endpoint)
        await #expect(throws: Problem.cancelled) { try await geocoder.ask(Self.question, in: .english, unless: { true }) }
        #expect(endpoint.requests.isEmpty)
        #expect(try await geocoder.ask(Self.question, in: .english) == "A")
    }

    @Test("Too many questions at once are refused, and those that wait fail when the service stops")
    func stops() async throws {
        let endpoint = try ScriptedEndpoint { _, _ in .hang }
        let geocoder = geocoder(endpoint)
        await withTaskGroup(of: Problem?.self) { group in
            for number in 0..<21 {
                group.addTask {
                    do throws(Problem) {
                        _ = try await geocoder.ask(.address(latitude: number, longitude: 0), in: .english)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            #expect(await group.next() == .rateLimited(retryAfter: 5))
            geocoder.stop()
            for await problem in group { #expect(problem == .cancelled) }
        }
        await #expect(throws: Problem.cancelled) { try await geocoder.ask(Self.question, in: .english) }
        endpoint.stop()
    }
}
