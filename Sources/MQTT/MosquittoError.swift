import CMosquitto
import Foundation
import Model

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

    /// The error for a connection that could not be made or that has ended.
    func connectionError(_ broker: BrokerAddress) -> MQTTError {
        let peer = broker.description
        if self.is(MOSQ_ERR_TLS) || self.is(MOSQ_ERR_TLS_HANDSHAKE) || self.is(MOSQ_ERR_OCSP)
            || self.is(MOSQ_ERR_ERRNO) && systemCode == EPROTO
        {
            return .tlsFailed(peer: peer, details: .verbatim(details))
        }
        if self.is(MOSQ_ERR_KEEPALIVE) || self.is(MOSQ_ERR_ERRNO) && systemCode == ETIMEDOUT {
            return .timedOut(peer: peer, details: .verbatim(details))
        }
        if self.is(MOSQ_ERR_PROTOCOL) || self.is(MOSQ_ERR_MALFORMED_PACKET) {
            return .cannotConnect(peer: peer, details: .notMQTT)
        }
        if self.is(MOSQ_ERR_NOMEM) { return .other(details: .verbatim(details)) }
        return .cannotConnect(peer: peer, details: .verbatim(details))
    }

    /// The error for a message that libmosquitto rejects.
    func publicationError(_ message: MQTTMessage) -> MQTTError {
        if self.is(MOSQ_ERR_OVERSIZE_PACKET) || self.is(MOSQ_ERR_PAYLOAD_SIZE) { return .messageTooLarge(topic: message.topic) }
        if self.is(MOSQ_ERR_INVAL) || self.is(MOSQ_ERR_MALFORMED_UTF8) { return .invalidTopic(message.topic) }
        let text = "\(details) (libmosquitto \(code))"
        return .other(details: .verbatim(text))
    }
}
