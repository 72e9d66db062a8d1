import Model
import Routing

extension Response {
    /// The content of an answer, or its source.
    enum Content {
        case text(String)
        case bytes([UInt8])
        case source(any ResponseSource)

        /// The approximate number of bytes of memory that the content takes while it is sent.
        var heldBytes: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .bytes(let bytes): bytes.count
            case .source(let source): source.heldBytes
            }
        }
    }

    /// The content that is sent as the answer to a request.
    ///
    /// - Parameter contact: The support contact that problems name, if any.
    func content(for request: Request, contact: SupportContact?) -> Content {
        switch body {
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        case .made(let make): .bytes(make())
        case .problem(let problem):
            .text(
                ProblemDocument(problem: problem, status: Int(status)).json(in: AnswerLocale(request.language, contact: contact))
                    .description)
        // A stream has no length, so libmicrohttpd would write a chunked end, which an answer to HEAD must not have.
        case .stream where request.method == "HEAD", .download where request.method == "HEAD": .text("")
        case .stream(let stream): .source(stream)
        case .download(let download): .source(download)
        }
    }

    /// Calls `body` for each header that is sent.
    func forEachHeader(_ body: (_ name: String, _ value: String) -> Void) {
        if !contentType.isEmpty { body("Content-Type", contentType) }
        for header in headers { body(header.name, header.value) }
        body("X-Content-Type-Options", "nosniff")
    }

    /// Whether the answer says that the work was canceled.
    var isGivenUp: Bool { if case .problem(.cancelled) = body { true } else { false } }

    /// Whether the answer is a stream of events.
    var isStream: Bool { if case .stream = body { true } else { false } }
}
