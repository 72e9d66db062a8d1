import CMosquitto
import Foundation
import Model

// Conversion of the results of libmosquitto and of the broker's reason codes to problems.

/// A result code of libmosquitto (`mosq_err_t`) with the `errno` of the failed call.
struct MosquittoError: Error {
    var code: Int32
    var systemCode: Int32
    /// The lines that libmosquitto has logged, for example OpenSSL's errors.
    var log: [String] = []

    func `is`(_ other: mosq_err_t) -> Bool { code == other.rawValue }

    var details: String {
        if !log.isEmpty { return log.joined(separator: "; ") }
        if self.is(MOSQ_ERR_EAI) { return unsafe String(cString: gai_strerror(systemCode)) }
        if self.is(MOSQ_ERR_ERRNO) { return unsafe String(cString: strerror(systemCode)) }
        return unsafe String(cString: mosquitto_strerror(code))
    }

    /// The problem for a connection that could not be made or that has ended.
    func problem(_ broker: BrokerAddress) -> Problem {
        let peer = broker.description
        if self.is(MOSQ_ERR_TLS) || self.is(MOSQ_ERR_TLS_HANDSHAKE) || self.is(MOSQ_ERR_OCSP)
            || self.is(MOSQ_ERR_ERRNO) && systemCode == EPROTO
        {
            return .tlsFailed(peer: peer, details: .verbatim(details))
        }
        if self.is(MOSQ_ERR_KEEPALIVE) || self.is(MOSQ_ERR_ERRNO) && systemCode == ETIMEDOUT {
            return .timeout(peer: peer, details: .verbatim(details))
        }
        if self.is(MOSQ_ERR_PROTOCOL) || self.is(MOSQ_ERR_MALFORMED_PACKET) {
            return .noConnection(peer: peer, details: .notMQTT)
        }
        if self.is(MOSQ_ERR_NOMEM) { return .unknown(details: .verbatim(details)) }
        return .noConnection(peer: peer, details: .verbatim(details))
    }

    /// The problem for a message that libmosquitto rejects.
    func problem(of message: MQTTMessage) -> Problem {
        if self.is(MOSQ_ERR_OVERSIZE_PACKET) || self.is(MOSQ_ERR_PAYLOAD_SIZE) {
            return .tooLarge(what: .message(message.topic), limit: .acceptedByBroker)
        }
        if self.is(MOSQ_ERR_INVAL) || self.is(MOSQ_ERR_MALFORMED_UTF8) {
            return .validationFailed(
                field: "topic", value: message.topic, reason: .topicEmptyOrWild,
                expected: .messageTopic)
        }
        let text = "\(details) (libmosquitto \(code))"
        return .unknown(details: .verbatim(text))
    }
}

/// What a broker has refused or ended.
enum MQTTRefusal {
    case connection
    case subscription(String)
    case message(String)
    /// An established connection.
    case end

    private var event: Reason {
        switch self {
        case .connection: .brokerRefusedConnection
        case .subscription(let filter): .brokerRefusedSubscription(filter)
        case .message(let topic): .brokerRefusedMessage(topic)
        case .end: .brokerEndedConnection
        }
    }

    /// The problem for a reason code of MQTT 5.0 (section 2.4) or a return code of MQTT 3.1.1 (section 3.2.2.3). The error codes of the two
    /// do not overlap.
    func problem(_ reason: Int32, _ options: MQTTOptions) -> Problem {
        let peer = options.broker.description
        // A disconnect without a reason.
        if reason == 0 { return .noConnection(peer: peer, details: event) }
        let name = unsafe String(cString: reason < 0x80 ? mosquitto_connack_string(reason) : mosquitto_reason_string(reason))
        let refusal = Reason.saying(event, "\(name.trimmingCharacters(in: ["."])) (\(reason))")
        switch (reason, self) {
        case (4, _), (5, _), (0x86, _), (0x87, _), (0x8A, _), (0x8C, _): return .accessRefused(peer: peer, details: refusal)
        // A broker with MQTT 3.1.1 refuses a subscription with this code.
        case (0x80, .subscription): return .accessRefused(peer: peer, details: refusal)
        case (2, _), (0x85, _):
            return .validationFailed(
                field: "client id", value: options.clientID ?? "", reason: refusal, expected: .clientID)
        case (3, _), (0x80, _), (0x83, _), (0x88, _), (0x89, _), (0x8B, _), (0x98, _), (0x9C, _), (0x9D, _):
            return .serverError(status: nil, details: .fromPeer(peer, refusal))
        case (0x8D, _), (0xA0, _): return .timeout(peer: peer, details: refusal)
        case (0x8E, _):
            return .conflict(
                kind: .clientID, id: options.clientID ?? "",
                reason: .clientTookOver(peer))
        case (0x8F, .subscription(let topic)), (0x90, .message(let topic)), (0xA2, .subscription(let topic)):
            return .validationFailed(field: "topic", value: topic, reason: refusal, expected: .acceptedTopic)
        case (0x95, _): return .tooLarge(what: .messageTo(peer), limit: .acceptedByBroker)
        case (0x93, _), (0x96, _), (0x97, _), (0x9F, _): return .rateLimited(retryAfter: nil)
        default: return .noConnection(peer: peer, details: refusal)
        }
    }
}
