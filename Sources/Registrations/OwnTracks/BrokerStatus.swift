import Delivery
import Model
import Observability

/// The state of the connection to the MQTT broker.
package struct BrokerStatus: Sendable {
    var broker: BrokerAddress
    var state: MQTTState
    var connection: ConnectionStatus
}

extension BrokerStatus: JSONWritable {
    package static let output = JSONOutput<BrokerStatus>(
        "BrokerStatus", summary: "The state of the connection to the MQTT broker",
        .init("broker", kind: .text, summary: "The broker's address", content: \.broker.description),
        .init("state", kind: .word, summary: "The state", content: \.state),
        .init(membersOf: ConnectionStatus.attempts, content: \.connection))
}
