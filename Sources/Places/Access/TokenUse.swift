import Core
import Model
import Store

/// The last use of a token.
package struct TokenUse: Hashable, Sendable {
    package var tokenId: String
    package var at: Instant
    /// The device for which it last reported; nil if that is unknown.
    package var device: String?

    package init(tokenId: String, at: Instant, device: String? = nil) {
        self.tokenId = tokenId
        self.at = at
        self.device = device
    }
}

extension ServiceWriter {
    /// Stores when tokens were last used. Tokens that are not in the store are ignored.
    package func record(_ uses: [TokenUse]) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            for use in uses { try store.record(use, in: transaction) }
        }
    }
}
