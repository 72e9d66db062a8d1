import CCurl
import HTTPClient

/// A transfer for libcurl.
package enum TransferRequest: Sendable {
    case web(HTTPRequest)
    case mail(MailRequest)

    /// The peer's name for messages.
    var peer: String {
        switch self {
        case .web(let request): request.peer
        case .mail(let request): HTTPRequest("", request.server).peer
        }
    }

    var url: String {
        switch self {
        case .web(let request): request.url
        case .mail(let request): request.server
        }
    }
}
