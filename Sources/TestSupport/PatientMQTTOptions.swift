import MQTT
import Model

extension MQTTOptions {
    /// Options for tests, with timeouts that no answer of the broker exceeds.
    package init(patient broker: BrokerAddress) {
        self.init(broker)
        connectTimeout = Watchdog.seconds
        acknowledgementTimeout = Watchdog.seconds
    }
}
