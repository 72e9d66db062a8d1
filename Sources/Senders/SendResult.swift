import Delivery

/// The result of sending a message.
package struct SendResult: Sendable {
    package var outcome: DeliveryOutcome
    /// The masked URL to which the sink has permanently moved; nil if it has not.
    package var movedTo: String?

    package init(_ outcome: DeliveryOutcome, movedTo: String? = nil) {
        self.outcome = outcome
        self.movedTo = movedTo
    }
}
