import Core
import Foundation
import HTTPClient
import HTTPServer
import Model
import Senders
import Server
import Settings

/// The address of a running service, and what is needed to authenticate there.
package struct ServiceAddress: Hashable, Sendable {
    /// Without a slash at the end.
    var url: String
    var token: String?
    /// The path of a file with PEM certificates to trust instead of the system's.
    var authorities: String?
    /// The service's own certificate in PEM. If set, only this certificate is trusted, and the host name is not checked.
    var certificate: String?
    /// Whether the service runs on this machine; then no proxy is used.
    var isLocal = false

    /// The address in the settings; nil when they have none.
    package init?(_ settings: Settings) {
        guard let server = settings.server else { return nil }
        url = server
        token = settings.token
        authorities = settings.authorities
    }

    /// The address of the service that runs on a data directory.
    package init(_ file: ServiceFile) {
        url = file.url
        token = file.token
        certificate = file.authorities
        isLocal = true
    }
}

/// Sends requests to the API, of a running service or of a data directory in this process, and decodes the JSON answers. A problem in an
/// answer is thrown as the same problem.
///
/// Not thread-safe: use it from one thread at a time.
package final class ServiceConnection {
    /// The way to the API.
    private enum Transport {
        case socket(HTTPClient, ServiceAddress, CertificateFile?)
        case process(LocalAPI)
    }

    /// The URL of the service or the path of the data directory, for messages.
    package let location: String
    /// The address of the service; nil without a service.
    var address: ServiceAddress? { if case .socket(_, let address, _) = transport { address } else { nil } }
    /// The API in this process; nil if there is a service.
    var localAPI: LocalAPI? { if case .process(let api) = transport { api } else { nil } }
    private let transport: Transport
    /// The language of the sentences in answers.
    private let language: Language

    /// Seconds to wait for an answer that may take long, such as that of a request that rewrites the store.
    package static let longTimeout = 3600.0
    /// Seconds to wait for an answer when the request is repeated on a timeout. Longer than `ServiceClient.longPoll`.
    package static let shortTimeout = 60.0

    /// - Parameters:
    ///   - patience: Seconds until an answer must arrive.
    ///   - language: The language of the sentences in answers.
    package init(_ address: ServiceAddress, patience: Double, in language: Language = .english) throws(Problem) {
        self.language = language
        location = address.url
        let certificate = try address.certificate.map { text throws(Problem) in try CertificateFile(text) }
        var options = HTTPClient.Options()
        options.timeout = patience
        options.authorities = certificate?.path ?? address.authorities
        options.verifiesName = certificate == nil
        options.usesProxies = !address.isLocal
        options.maximumBody = 1 << 30
        do {
            transport = .socket(try HTTPClient(options), address, certificate)
        } catch {
            throw Problem(error)
        }
    }

    /// - Parameter directory: The data directory on which the API works.
    init(_ api: LocalAPI, of directory: DataDirectory, in language: Language) {
        self.language = language
        location = directory.path
        transport = .process(api)
    }

    /// A request's body with its media type.
    package struct Body {
        var type: String
        var bytes: [UInt8]

        /// A body in JSON.
        package static func json(_ value: JSONValue) -> Body {
            Body(type: "application/json", bytes: Array(value.description.utf8))
        }
    }

    /// Sends a request and returns its answer.
    ///
    /// - Parameters:
    ///   - path: The components of the path, not escaped.
    ///   - query: Parameters without a value are left out.
    ///   - condition: The precondition for a change.
    /// - Throws: The service's problem; a problem of the network; `.decodingFailed` when the answer does not come from Picket.
    package func send(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: Body? = nil,
        on condition: EditCondition = .always
    ) throws(Problem) -> Answer {
        try read(try send(request(method, path, query: query, body: body, on: condition)))
    }

    private func request(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: Body? = nil,
        on condition: EditCondition = .always
    ) -> HTTPRequest {
        // The colon before a verb in a path is not escaped, as in `geofences:edit`.
        let parts = path.map { PercentEncoding.escape($0, except: UInt8(ascii: ":")) }
        var url = (address?.url ?? "") + "/v1/" + parts.joined(separator: "/")
        let fields = query.compactMap { field in field.value.map { "\(field.name)=\(PercentEncoding.escape($0))" } }
        if !fields.isEmpty { url += "?" + fields.joined(separator: "&") }
        var headers = [HTTPHeader("Accept-Language", language.rawValue)]
        if let token = address?.token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        if let body { headers.append(HTTPHeader("Content-Type", body.type)) }
        switch condition {
        case .always: break
        case .isNew: headers.append(HTTPHeader("If-None-Match", "*"))
        case .exists: headers.append(HTTPHeader("If-Match", "*"))
        case .isTagged(let tags):
            headers.append(HTTPHeader("If-Match", tags.map { "\"\($0)\"" }.joined(separator: ", ")))
        }
        return HTTPRequest(method, url, headers: headers, body: body?.bytes ?? [])
    }

    /// Sends a request that the service answers without a body (status 204).
    func sendWithoutAnswer(_ method: String, _ path: [String]) throws(Problem) {
        let response = try send(request(method, path))
        if response.status != 204 { _ = try read(response) }
    }

    /// Checks whether the service can accept positions (`GET /readyz`).
    ///
    /// - Throws: The problem that prevents it; a problem of the network.
    package func checkReadiness() throws(Problem) {
        let url = (address?.url ?? "") + "/readyz"
        let response = try send(HTTPRequest("GET", url, headers: [HTTPHeader("Accept-Language", language.rawValue)]))
        if !response.isSuccess { _ = try read(response) }
    }

    /// Asks for content of any size, and passes it on while it arrives.
    ///
    /// - Returns: The head of the answer.
    /// - Throws: As `send`, and the errors of `receive`.
    func download(
        _ path: [String], query: [(name: String, value: String?)] = [], _ receive: ([UInt8]) throws(Problem) -> Void
    ) throws(Problem) -> HTTPResponse {
        let request = request("GET", path, query: query)
        let response: HTTPResponse
        switch transport {
        case .process(let api):
            var refusal: [UInt8] = []
            let answer = try api.answer(request) { (status, bytes) throws(Problem) -> Void in
                if status == 200 { try receive(bytes) } else { refusal += bytes }
            }
            response = HTTPResponse(answer, refusal)
        case .socket(let client, _, _): response = try client.receive(request, receive)
        }
        if !response.isSuccess { _ = try read(response) }
        return response
    }

    private func send(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        switch transport {
        case .process(let api):
            var body: [UInt8] = []
            let answer = try api.answer(request) { (_, bytes) throws(Problem) -> Void in
                if body.isEmpty { body = bytes } else { body += bytes }
            }
            return HTTPResponse(answer, body)
        case .socket(let client, _, _):
            do {
                return try client.send(request)
            } catch {
                throw Problem(error)
            }
        }
    }

    private func read(_ response: HTTPResponse) throws(Problem) -> Answer {
        let peer = address == nil ? location : HTTPRequest("GET", location).peer
        let type = response.header("Content-Type") ?? ""
        // An answer with status 422 and JSON lists refused elements, so it is an answer and not a problem.
        let isAnswer = response.isSuccess || response.status == 422 && type.hasPrefix("application/json")
        let json: JSONValue?
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(response.body)
        } catch {
            json = nil
        }
        if isAnswer, let json { return Answer(json, source: .verbatim(peer)) }
        if let problem = json.flatMap(Problem.init(document:)) { throw problem }
        throw response.problem(from: peer)
            ?? .decodingFailed(
                source: .verbatim(peer), line: nil,
                reason: Phrase("the answer is not JSON, so it does not come from Picket. Check the address"))
    }
}

extension LocalAPI {
    fileprivate func answer(
        _ request: HTTPRequest, _ receive: (_ status: Int, [UInt8]) throws(Problem) -> Void
    ) throws(Problem) -> LocalExchange.Answer {
        try answer(
            request.method, request.url, headers: request.headers.map { ($0.name, $0.value) }, body: request.body,
            receive: receive)
    }
}

extension HTTPResponse {
    fileprivate init(_ answer: LocalExchange.Answer, _ body: [UInt8]) {
        self.init(status: answer.status, headers: answer.headers.map { HTTPHeader($0.name, $0.value) }, body: body)
    }
}

extension HTTPClient {
    /// Sends a request, and passes the body of a successful response on while it arrives.
    fileprivate func receive(
        _ request: HTTPRequest, _ receive: ([UInt8]) throws(Problem) -> Void
    ) throws(Problem) -> HTTPResponse {
        let result: Result<HTTPResponse, Problem> = withoutActuallyEscaping(receive) { receive in
            // libcurl calls this on the thread that waits for the answer, and not afterward.
            var failure: Problem?
            do throws(HTTPClientError) {
                let response = try download(request) { bytes in
                    do throws(Problem) {
                        try receive(bytes)
                        return true
                    } catch {
                        failure = error
                        return false
                    }
                }
                if let response { return .success(response) }
                return .failure(failure ?? .cancelled)
            } catch {
                return .failure(Problem(error))
            }
        }
        return try result.get()
    }
}

/// A certificate in an unnamed temporary file, for libraries that only take a path. The file exists as long as the instance.
private final class CertificateFile {
    private let file: UnsafeMutablePointer<FILE>

    /// - Parameter text: PEM. Only the first certificate of a chain is used: the service's own.
    init(_ text: String) throws(Problem) {
        let end = "-----END CERTIFICATE-----"
        let own = text.range(of: end).map { text[..<$0.upperBound] + "\n" } ?? text[...]
        guard let file = tmpfile() else {
            throw .fileFailed(path: NSTemporaryDirectory(), reason: .verbatim(String(cString: strerror(errno))))
        }
        self.file = file
        let bytes = Array(own.utf8)
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fflush(file) == 0 else {
            throw .fileFailed(path: NSTemporaryDirectory(), reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    var path: String { "/dev/fd/\(fileno(file))" }

    deinit { fclose(file) }
}

extension Problem {
    /// The same problem with the path of the file that was sent, in place of the request's body.
    func ofFile(_ path: String) -> Problem {
        switch self {
        case .decodingFailed(_, let line, let reason): .decodingFailed(source: .verbatim(path), line: line, reason: reason)
        case .unsupportedFormat(_, let found, let supported):
            .unsupportedFormat(source: .verbatim(path), found: found, supported: supported)
        case .tooLarge(_, let limit): .tooLarge(what: .verbatim(path), limit: limit)
        default: self
        }
    }
}
