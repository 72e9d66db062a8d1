import CCurl
import HTTPClient
import Model

/// The result of a transfer.
package struct TransferResult: Sendable {
    /// The answer; for mail, the code of the last reply. The status is 0 if there was no answer.
    package var response: HTTPResponse
    /// The absolute URL that a redirection points to.
    package var redirect: String?
    /// Why there is no answer; nil if there is one.
    package var problem: Problem?

    static func failed(_ problem: Problem) -> TransferResult {
        TransferResult(response: HTTPResponse(status: 0), redirect: nil, problem: problem)
    }
}
