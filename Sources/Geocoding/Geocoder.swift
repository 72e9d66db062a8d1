import Delivery
import Foundation
import HTTPClient
import Model
import Senders
import Synchronization
import Workers

/// Asks a server with the API of Nominatim for addresses and places: one question at a time, and of a server on the Internet one per second,
/// as the usage policy of OpenStreetMap's server demands (https://operations.osmfoundation.org/policies/nominatim/).
///
/// After a failure it does not ask for a while, and repeats the problem; see `Backoff`. A refusal of one question does not delay others.
/// Can be used from any thread.
package final class Geocoder: Sendable {
    /// What has to be shown with the answers.
    package static let attribution = "© OpenStreetMap contributors"

    /// What the thread of the requests knows about the server.
    private struct Server {
        var client: HTTPClient?
        /// The number of consecutive failures.
        var failures = 0
        /// The uptime until which nothing is asked, and the problem that is repeated until then.
        var rest: (until: Double, problem: Problem)?
        /// The uptime before which no other request begins.
        var nextRequest = 0.0
    }

    /// Why a question was not answered.
    private struct Failure: Error {
        var problem: Problem
        /// Whether the server refuses only this question, so that others can be asked at once.
        var isOfQuestion = false
        /// Seconds for which the server demands not to be asked.
        var demanded: Double?
    }

    private struct Waiting {
        var questions: [Int: @Sendable (Result<JSONValue, Problem>) -> Void] = [:]
        var next = 0
        var isStopped = false
    }

    /// The maximum number of questions that wait. Further ones are refused.
    private static let mostWaiting = 20
    /// The longest time for which a server can demand that it is not asked, in seconds.
    private static let longestRest = 3600.0
    /// The statuses of answers that refuse one question: its text, its length or its place.
    private static let refusals: Set = [400, 404, 414, 422]

    private let url: String
    private let version: String
    let pause: Double
    let uptime: @Sendable () -> Double
    private let sleep: @Sendable (Double) -> Void
    private let pool = WorkPool("picket geocoder", maximum: 1)
    private let server = Mutex(Server())
    private let waiting = Mutex(Waiting())

    /// - Parameters:
    ///   - url: The server, without a trailing slash.
    ///   - version: The version of Picket.
    ///   - pause: Seconds between the beginnings of two requests; nil for none to a private address, and otherwise one.
    ///   - uptime: Returns seconds since any moment.
    ///   - sleep: Waits for a number of seconds.
    package init(
        _ url: String, version: String, pause: Double? = nil,
        uptime: @escaping @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime },
        sleep: @escaping @Sendable (Double) -> Void = { Thread.sleep(forTimeInterval: $0) }
    ) {
        self.url = url
        self.version = version
        self.pause = pause ?? (PublicAddress.isPrivate(host: WebAddress.host(of: url)) ? 0 : 1)
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The problem that a request needs a geocoder and the service has none.
    ///
    /// - Parameter field: The field of the request that needs it.
    package static func missing(for field: String) -> Problem {
        .validationFailed(
            field: field, value: "", reason: Phrase("the service has no geocoder"),
            expected: Phrase("the setting 'geocoder', for example https://nominatim.openstreetmap.org"))
    }

    /// Asks the server.
    ///
    /// - Parameter hasLeft: Called on the thread of the requests when the question has its turn. If it returns true, the question is not
    ///   sent.
    /// - Returns: The answer as it is stored; see `GeocoderQuestion.answer(from:)`.
    /// - Throws: `Problem.rateLimited` if too many questions wait, `Problem.cancelled` if the geocoder was stopped or the client has left,
    ///   and the problems of the server.
    func ask(
        _ question: GeocoderQuestion, in language: Language, unless hasLeft: @escaping @Sendable () -> Bool = { false }
    ) async throws(Problem) -> JSONValue {
        let result: Result<JSONValue, Problem> = await withCheckedContinuation { continuation in
            let number: Result<Int, Problem> = waiting.withLock { waiting in
                if waiting.isStopped { return .failure(.cancelled) }
                if waiting.questions.count >= Self.mostWaiting { return .failure(.rateLimited(retryAfter: 5)) }
                waiting.next += 1
                waiting.questions[waiting.next] = { continuation.resume(returning: $0) }
                return .success(waiting.next)
            }
            switch number {
            case .failure(let problem): continuation.resume(returning: .failure(problem))
            case .success(let number):
                pool.run { [self] in
                    guard waiting.withLock({ $0.questions[number] != nil }) else { return }
                    let result: Result<JSONValue, Problem> =
                        hasLeft() ? .failure(.cancelled) : answer(to: question, in: language)
                    waiting.withLock { $0.questions.removeValue(forKey: number) }?(result)
                }
            }
        }
        return try result.get()
    }

    /// Lets all questions that wait fail with `Problem.cancelled`, and accepts no more. A request that was sent ends on its own thread.
    package func stop() {
        let questions = waiting.withLock { waiting in
            waiting.isStopped = true
            defer { waiting.questions = [:] }
            return Array(waiting.questions.values)
        }
        for fail in questions { fail(.failure(.cancelled)) }
    }

    // MARK: - Requests

    /// Asks the server when it may be asked, and waits for its answer.
    private func answer(to question: GeocoderQuestion, in language: Language) -> Result<JSONValue, Problem> {
        server.withLock { server in
            if let rest = server.rest, uptime() < rest.until { return .failure(rest.problem) }
            let wait = server.nextRequest - uptime()
            if wait > 0 { sleep(wait) }
            server.nextRequest = uptime() + pause
            do throws(Failure) {
                let answer = try send(question, in: language, with: &server.client)
                (server.failures, server.rest) = (0, nil)
                return .success(answer)
            } catch {
                if error.isOfQuestion, error.demanded == nil { return .failure(error.problem) }
                server.failures += 1
                let delay = max(Backoff.delay(after: server.failures, jitter: 0), min(error.demanded ?? 0, Self.longestRest))
                server.rest = (uptime() + delay, error.problem)
                return .failure(error.problem)
            }
        }
    }

    private func send(
        _ question: GeocoderQuestion, in language: Language, with client: inout HTTPClient?
    ) throws(Failure) -> JSONValue {
        let request = HTTPRequest(
            "GET", url + question.target(in: language), headers: [HTTPHeader("User-Agent", "Picket/\(version)")])
        let response: HTTPResponse
        do throws(HTTPClientError) {
            let open = if let client { client } else { try Self.client() }
            client = open
            response = try open.send(request)
        } catch {
            if case .answerTooLarge = error { throw Failure(problem: Problem(error), isOfQuestion: true) }
            throw Failure(problem: Problem(error))
        }
        func failure(_ details: Phrase) -> Failure {
            Failure(
                problem: .geocoderFailed(peer: request.peer, details: details),
                isOfQuestion: Self.refusals.contains(response.status), demanded: response.retryAfter)
        }
        // Some versions answer 404 for a place without an address.
        if response.isSuccess || response.status == 404 {
            let flaw: Phrase
            do throws(JSONParser.Failure) {
                if let answer = question.answer(from: try JSONParser.parse(response.body)) { return answer }
                flaw = Phrase("it is not an answer of Nominatim's API")
            } catch {
                flaw = .notJSON(error.reason)
            }
            if response.isSuccess { throw failure(flaw) }
        }
        let text = String(decoding: response.body.prefix(500), as: UTF8.self)
        let status = Phrase("the status of its answer is \(plain: response.status)")
        throw failure(text.isEmpty ? status : .saying(status, text))
    }

    private static func client() throws(HTTPClientError) -> HTTPClient {
        var options = HTTPClient.Options()
        options.timeout = 10
        options.maximumBody = 1 << 20
        return try HTTPClient(options)
    }
}
