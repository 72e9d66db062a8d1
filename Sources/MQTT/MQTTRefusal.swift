import CMosquitto
import Foundation

/// A broker's refusal with its reason.
package struct MQTTRefusal: Hashable, Sendable {
    /// What the broker has refused or ended.
    package enum Subject: Hashable, Sendable {
        case connection
        /// The subscription to a topic filter.
        case subscription(String)
        /// A message to a topic.
        case message(String)
        /// An established connection.
        case end
    }

    package var subject: Subject
    /// A reason code of MQTT 5.0 (section 2.4) or a return code of MQTT 3.1.1 (section 3.2.2.3). The error codes of the two do not overlap. 0
    /// is a disconnect without a reason.
    package var code: Int32
    package var peer: String
    package var clientID: String?

    init(_ subject: Subject, code: Int32, options: MQTTOptions) {
        self.subject = subject
        self.code = code
        peer = options.broker.description
        clientID = options.clientID
    }

    /// The name of the reason in English, with its code.
    package var reason: String {
        let name = unsafe String(cString: code < 0x80 ? mosquitto_connack_string(code) : mosquitto_reason_string(code))
        return "\(name.trimmingCharacters(in: ["."])) (\(code))"
    }
}
