import Delivery
import Model
import Observability

/// The state of the connection to the MQTT broker.
package struct BrokerStatus: Sendable {
    package var broker: BrokerAddress
    package var state: MQTTState
    package var connection: ConnectionStatus
}

extension BrokerStatus: JSONWritable {
    package static let output = JSONOutput<BrokerStatus>(
        "BrokerStatus", summary: "The state of the connection to the MQTT broker",
        .init("broker", kind: .text, summary: "The broker's address", content: \.broker.description),
        .init("state", kind: .word, summary: "The state", content: \.state),
        .init(membersOf: ConnectionStatus.attempts, content: \.connection))
}
