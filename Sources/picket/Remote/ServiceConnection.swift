import Foundation
import HTTPClient
import Model
import Service
import Settings

/// Where a running service is, and what lets one in there.
struct ServiceAddress: Hashable, Sendable {
    /// Without a slash at its end.
    var url: String
    var token: String?
    /// A file of certificates in PEM to trust in place of the system's.
    var authorities: String?
    /// The service's own certificate in PEM: nothing else is trusted, and it may be made out to any name.
    var certificate: String?
    /// Whether it is on this machine: then no proxy is asked.
    var isLocal = false

    /// The one that the settings name; nil when they name none.
    init?(_ settings: Settings) {
        guard let server = settings.server else { return nil }
        url = server
        token = settings.token
        authorities = settings.authorities
    }

    /// The one that works on a data directory.
    init(_ file: ServiceFile) {
        url = file.url
        token = file.token
        certificate = file.authorities
        isLocal = true
    }
}

/// A connection to a running service: JSON goes there and comes back, and a problem there is the same problem here.
///
/// It belongs to one thread at a time.
final class ServiceConnection {
    let address: ServiceAddress
    private let client: HTTPClient
    private let certificate: CertificateFile?

    /// Seconds for an answer that may take long: a store that is written anew takes its time.
    static let longPatience = 3600.0
    /// Seconds for the answer of a service that is asked again when it does not come. Longer than `RemoteService.longPoll`.
    static let shortPatience = 60.0

    /// - Parameter patience: Seconds for an answer.
    init(_ address: ServiceAddress, patience: Double = longPatience) throws(Problem) {
        self.address = address
        certificate = try address.certificate.map { text throws(Problem) in try CertificateFile(text) }
        var options = HTTPClient.Options()
        options.timeout = patience
        options.authorities = certificate?.path ?? address.authorities
        options.verifiesName = certificate == nil
        options.usesProxies = !address.isLocal
        options.maximumBody = 1 << 30
        client = try HTTPClient(options)
    }

    /// A body, with what kind it is.
    struct Body {
        var type: String
        var bytes: [UInt8]

        static func json(_ value: JSONValue) -> Body {
            Body(type: "application/json", bytes: Array(value.description.utf8))
        }
    }

    /// Asks the service.
    ///
    /// - Parameters:
    ///   - path: Its parts, which may have anything in them.
    ///   - condition: On what condition it changes something.
    /// - Throws: the service's problem; those of the network; `.decodingFailed` for an answer that is none of Picket's.
    func ask(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: Body? = nil,
        on condition: EditCondition = .always
    ) throws(Problem) -> Answer {
        let request = request(method, path, query: query, body: body, on: condition)
        return try read(try client.send(request), of: request.peer)
    }

    private func request(
        _ method: String, _ path: [String], query: [(name: String, value: String?)] = [], body: Body? = nil,
        on condition: EditCondition = .always
    ) -> HTTPRequest {
        // The colon that ends a name in a path stays as it is, as in `geofences:edit`.
        let parts = path.map { PercentEncoding.escaped($0, keeping: UInt8(ascii: ":")) }
        var url = address.url + "/v1/" + parts.joined(separator: "/")
        let fields = query.compactMap { field in field.value.map { "\(field.name)=\(PercentEncoding.escaped($0))" } }
        if !fields.isEmpty { url += "?" + fields.joined(separator: "&") }
        var headers: [HTTPHeader] = []
        if let token = address.token { headers.append(HTTPHeader("Authorization", "Bearer \(token)")) }
        if let body { headers.append(HTTPHeader("Content-Type", body.type)) }
        switch condition {
        case .always: break
        case .isNew: headers.append(HTTPHeader("If-None-Match", "*"))
        case .isThere: headers.append(HTTPHeader("If-Match", "*"))
        case .isTagged(let tags):
            headers.append(HTTPHeader("If-Match", tags.map { "\"\($0)\"" }.joined(separator: ", ")))
        }
        return HTTPRequest(method, url, headers: headers, body: body?.bytes ?? [])
    }

    /// Asks the service for something that it answers without a body.
    func tell(_ method: String, _ path: [String]) throws(Problem) {
        let request = request(method, path)
        let response = try client.send(request)
        if response.status != 204 { _ = try read(response, of: request.peer) }
    }

    private func read(_ response: HTTPResponse, of peer: String) throws(Problem) -> Answer {
        let type = response.header("Content-Type") ?? ""
        // What was refused one by one is an answer all the same, whatever its status.
        let isAnswer = response.isSuccess || response.status == 422 && type.hasPrefix("application/json")
        let json: JSONValue?
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(response.text)
        } catch {
            json = nil
        }
        if isAnswer, let json { return Answer(json, source: peer) }
        if let problem = json.flatMap(Problem.init(document:)) { throw problem }
        throw response.problem(from: peer)
            ?? .decodingFailed(
                source: peer, line: nil, reason: "what answers there is no Picket: its answer is no JSON. Check the address")
    }
}

/// A certificate as a file, for those that take nothing else. It has no name, and is gone with this.
private final class CertificateFile {
    private let file: UnsafeMutablePointer<FILE>

    /// - Parameter text: PEM. Of a chain only the first is taken: the service's own.
    init(_ text: String) throws(Problem) {
        let end = "-----END CERTIFICATE-----"
        let own = text.range(of: end).map { text[..<$0.upperBound] + "\n" } ?? text[...]
        guard let file = tmpfile() else {
            throw .fileFailed(path: NSTemporaryDirectory(), reason: String(cString: strerror(errno)))
        }
        self.file = file
        guard fputs(String(own), file) >= 0, fflush(file) == 0 else {
            throw .fileFailed(path: NSTemporaryDirectory(), reason: String(cString: strerror(errno)))
        }
    }

    var path: String { "/dev/fd/\(fileno(file))" }

    deinit { fclose(file) }
}

extension Problem {
    /// The problem that a service answers with (RFC 9457); nil when it is none of Picket's.
    init?(document json: JSONValue) {
        guard let code = json["code"]?.string else { return nil }
        if let problem = Problem(code: code, parameters: json["parameters"] ?? .null) {
            self = problem
        } else if let message = json["message"]?.string {
            // A newer service knows problems that this command has no words for.
            self = .unknown(details: message)
        } else {
            return nil
        }
    }

    /// The problem of a file, where the service speaks of the body that it was sent.
    func ofFile(_ path: String) -> Problem {
        switch self {
        case .decodingFailed(_, let line, let reason): .decodingFailed(source: path, line: line, reason: reason)
        case .unsupportedFormat(_, let found, let supported):
            .unsupportedFormat(source: path, found: found, supported: supported)
        case .tooLarge(_, let limit): .tooLarge(what: path, limit: limit)
        default: self
        }
    }
}
