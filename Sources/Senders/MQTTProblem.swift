import MQTT
import Model

extension Problem {
    /// The problem to report for a failed connection to a broker or a message that was not delivered.
    package init(_ error: MQTTError) {
        switch error {
        case .closed: self = .cancelled
        case .cannotConnect(let peer, let details): self = .noConnection(peer: peer, details: Phrase(details))
        case .timedOut(let peer, let details): self = .timeout(peer: peer, details: Phrase(details))
        case .tlsFailed(let peer, let details): self = .tlsFailed(peer: peer, details: Phrase(details))
        case .refused(let refusal): self.init(refusal)
        case .certificatesUnreadable(let path): self = .fileFailed(path: path, reason: .certificatesUnreadable)
        case .invalidClientID(let id):
            self = .validationFailed(field: "client id", value: id, reason: Phrase("MQTT does not allow it"), expected: .clientID)
        case .invalidOption(let name, let value, let details):
            self = .validationFailed(
                field: name, value: value, reason: .verbatim(details), expected: Phrase("a value that MQTT allows there"))
        case .invalidTopicFilters(let filters, let details):
            self = .validationFailed(
                field: "topic", value: filters.joined(separator: " "), reason: .verbatim(details),
                expected: Phrase("topics, in which '+' or '#' may replace a whole level"))
        case .invalidTopic(let topic):
            self = .validationFailed(
                field: "topic", value: topic, reason: Phrase("it is empty, or contains '+', '#' or a control character"),
                expected: Phrase("a topic, for example home/picket/anna-phone"))
        case .messageTooLarge(let topic): self = .tooLarge(what: .message(topic), limit: .acceptedByBroker)
        case .messagesNotProcessed: self = .unknown(details: .messagesNotProcessed)
        case .other(let details): self = .unknown(details: Phrase(details))
        }
    }

    private init(_ refusal: MQTTRefusal) {
        let peer = refusal.peer
        // A disconnect without a reason.
        if refusal.code == 0 {
            self = .noConnection(peer: peer, details: refusal.event)
            return
        }
        let reason = Phrase.saying(refusal.event, refusal.reason)
        self =
            switch (refusal.code, refusal.subject) {
            case (4, _), (5, _), (0x86, _), (0x87, _), (0x8A, _), (0x8C, _): .accessRefused(peer: peer, details: reason)
            // A broker with MQTT 3.1.1 refuses a subscription with this code.
            case (0x80, .subscription): .accessRefused(peer: peer, details: reason)
            case (2, _), (0x85, _):
                .validationFailed(field: "client id", value: refusal.clientID ?? "", reason: reason, expected: .clientID)
            case (3, _), (0x80, _), (0x83, _), (0x88, _), (0x89, _), (0x8B, _), (0x98, _), (0x9C, _), (0x9D, _):
                .serverError(status: nil, details: Phrase("\(peer): \(reason)"))
            case (0x8D, _), (0xA0, _): .timeout(peer: peer, details: reason)
            case (0x8E, _):
                .conflict(
                    kind: .clientID, id: refusal.clientID ?? "",
                    reason: Phrase("is used by another client, which took over the connection to \(peer)"))
            case (0x8F, .subscription(let topic)), (0x90, .message(let topic)), (0xA2, .subscription(let topic)):
                .validationFailed(
                    field: "topic", value: topic, reason: reason, expected: Phrase("a topic that the broker accepts"))
            case (0x95, _): .tooLarge(what: .messageTo(peer), limit: .acceptedByBroker)
            case (0x93, _), (0x96, _), (0x97, _), (0x9F, _): .rateLimited(retryAfter: nil)
            default: .noConnection(peer: peer, details: reason)
            }
    }
}

extension MQTTRefusal {
    fileprivate var event: Phrase {
        switch subject {
        case .connection: Phrase("the broker refused the connection")
        case .subscription(let filter): Phrase("the broker refused the subscription to '\(filter)'")
        case .message(let topic): .brokerRefusedMessage(topic)
        case .end: Phrase("the broker ended the connection")
        }
    }
}

extension Phrase {
    fileprivate init(_ details: MQTTError.Details) {
        self =
            switch details {
            case .noFileDescriptor: .noFileDescriptor
            case .libraryCannotStart: .libraryCannotStart("libmosquitto")
            case .brokerWithoutMQTT311: .brokerWithoutMQTT311
            case .notMQTT: .notMQTT
            case .brokerClosedConnection: .brokerClosedConnection
            case .beforeTLS(let details): .beforeTLS(Phrase(details))
            case .beforeAcceptance(let details): .beforeAcceptance(Phrase(details))
            case .notAcknowledged(let seconds): .notAcknowledged(seconds)
            case .messageLost: .messageLost
            case .notConnectedWithin(let seconds): .notConnectedWithin(seconds)
            case .verbatim(let words): .verbatim(words)
            }
    }
}
