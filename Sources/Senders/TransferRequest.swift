import Delivery
import HTTPClient

/// A transfer for libcurl.
package enum TransferRequest: Sendable {
    case web(HTTPRequest)
    case mail(OutgoingMail)

    /// The peer's name for messages.
    var peer: String {
        switch self {
        case .web(let request): request.peer
        case .mail(let mail): HTTPRequest("", mail.target.address).peer
        }
    }

    var url: String {
        switch self {
        case .web(let request): request.url
        case .mail(let mail): mail.target.address
        }
    }
}
