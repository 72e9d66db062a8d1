import CMosquitto
import Foundation
import Model

/// A client of libmosquitto (https://mosquitto.org/api/files/mosquitto-h.html). Only the thread that created it may use it.
///
/// libmosquitto answers a message with PUBACK before the message is handled, and its documentation describes no manual
/// acknowledgment. In its "threaded" mode, however, it only queues packets, and `write()` sends them. Because this thread calls
/// `write()` itself, a PUBACK is sent after the message was handled, or never.
///
/// libmosquitto calls its callbacks while it holds a lock. Therefore the callbacks only collect what has happened in `events`.
@safe struct Mosquitto: ~Copyable {
    /// What has happened since the events were last processed.
    let events: Events
    private let handle: OpaquePointer
    private let options: MQTTOptions
    private let isVersion5: Bool

    /// The events that libmosquitto's callbacks collect.
    final class Events {
        /// The reason code of CONNACK; nil before CONNACK has arrived.
        var connected: Int32?
        var isSessionPresent = false
        /// The reason codes of SUBACK for the subscriptions; nil before SUBACK has arrived.
        var granted: [Int32]?
        /// Messages that were acknowledged, or refused if the reason code is at least 128.
        var published: [(id: Int32, reason: Int32)] = []
        var received: [MQTTMessage] = []
        /// The number of payload bytes of `received`.
        var receivedBytes = 0
        /// The reason code with which the connection ended; nil while it has not ended.
        var disconnected: Int32?
        var log: [String] = []
    }

    private init(_ handle: OpaquePointer, _ events: Events, _ options: MQTTOptions, isVersion5: Bool) {
        unsafe self.handle = handle
        self.events = events
        self.options = options
        self.isVersion5 = isVersion5
    }

    /// Creates a client that is not connected yet.
    ///
    /// - Throws: `MQTTError.certificatesUnreadable`, `.invalidClientID` or `.invalidOption`, or `.other` if libmosquitto cannot start.
    static func make(_ options: MQTTOptions, isVersion5: Bool) throws(MQTTError) -> Mosquitto {
        let events = Events()
        let keepsSession = options.sessionExpiry > 0 && options.clientID != nil
        let context = unsafe Unmanaged.passUnretained(events).toOpaque()
        guard isReady, let made = unsafe mosquitto_new(options.clientID, !keepsSession, context) else {
            if isReady, let name = options.clientID {
                throw .invalidClientID(name)
            }
            throw .other(details: .libraryCannotStart)
        }
        let client = unsafe Mosquitto(made, events, options, isVersion5: isVersion5)
        try client.applyOptions()
        return client
    }

    private func applyOptions() throws(MQTTError) {
        set(MOSQ_OPT_PROTOCOL_VERSION, isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        set(MOSQ_OPT_TCP_NODELAY, 1)
        // The maximum number of unacknowledged messages in each direction. The broker's own limit applies as well.
        set(MOSQ_OPT_RECEIVE_MAXIMUM, Mosquitto.receiveMaximum)
        set(MOSQ_OPT_SEND_MAXIMUM, Int32(options.window))
        _ = unsafe mosquitto_threaded_set(handle, true)
        setCallbacks()
        if let user = options.broker.user {
            try check(unsafe mosquitto_username_pw_set(handle, user, options.broker.password), "user", user)
        }
        if options.broker.usesTLS { try useTLS() }
        if let will = options.will {
            let code = unsafe will.payload.withUnsafeBytes {
                unsafe mosquitto_will_set(
                    handle, will.topic, Int32($0.count), $0.baseAddress, will.quality.rawValue, will.isRetained)
            }
            try check(code, "topic", will.topic)
        }
    }

    deinit { unsafe mosquitto_destroy(handle) }

    /// The maximum number of messages that the broker sends without an acknowledgment.
    static let receiveMaximum: Int32 = 1000

    /// The maximum size of a packet, in bytes, that a broker with MQTT 5.0 may send. Brokers with MQTT 3.1.1 may send up to 256
    /// MB.
    private static let maximumPacketSize: UInt32 = 4 << 20

    /// Initializes libmosquitto, which must be done once per process by one thread.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private func set(_ option: mosq_opt_t, _ value: Int32) { _ = unsafe mosquitto_int_option(handle, option, value) }

    private func useTLS() throws(MQTTError) {
        guard let authorities = options.authorities else { return set(MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        // libmosquitto returns "invalid" for a file that it cannot open.
        guard unsafe mosquitto_tls_set(handle, authorities, nil, nil, nil, nil) == MOSQ_ERR_SUCCESS.rawValue else {
            throw .certificatesUnreadable(path: authorities)
        }
    }

    private func check(_ code: Int32, _ name: String, _ value: String) throws(MQTTError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw .invalidOption(name: name, value: value, details: unsafe String(cString: mosquitto_strerror(code)))
    }

    // MARK: - Callbacks

    private func setCallbacks() {
        unsafe mosquitto_connect_v5_callback_set(handle) { _, context, reason, flags, _ in
            guard let events = unsafe Events.of(context) else { return }
            events.connected = reason
            events.isSessionPresent = flags & 1 != 0
        }
        unsafe mosquitto_subscribe_callback_set(handle) { _, context, _, count, granted in
            guard let granted = unsafe granted, let events = unsafe Events.of(context) else { return }
            events.granted = unsafe Array(UnsafeBufferPointer(start: granted, count: Int(count)))
        }
        unsafe mosquitto_publish_v5_callback_set(handle) { _, context, id, reason, _ in
            unsafe Events.of(context)?.published.append((id, reason))
        }
        unsafe mosquitto_message_callback_set(handle) { _, context, message in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
            let payload = unsafe UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))
            let events = unsafe Events.of(context)
            events?.receivedBytes += payload.count
            events?.received.append(
                unsafe MQTTMessage(
                    String(cString: topic), Array(payload), quality: MQTTQuality(rawValue: message.qos) ?? .atMostOnce,
                    isRetained: message.retain))
        }
        unsafe mosquitto_disconnect_callback_set(handle) { _, context, reason in
            unsafe Events.of(context)?.disconnected = reason
        }
        unsafe mosquitto_log_callback_set(handle) { _, context, level, line in
            guard level & MOSQ_LOG_ERR != 0, let line = unsafe line, let events = unsafe Events.of(context) else { return }
            events.log.append(unsafe String(cString: line))
        }
    }

    /// Turns off libmosquitto's log, which would have a line for each packet.
    func disableLog() { unsafe mosquitto_log_callback_set(handle, nil) }

    // MARK: - The connection

    /// Connects to the broker's host and sends CONNECT. This blocks for as long as the system tries to connect.
    func connect() throws(MosquittoError) {
        var properties: OpaquePointer?
        defer { unsafe mosquitto_property_free_all(&properties) }
        if isVersion5 {
            try check(
                unsafe mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Mosquitto.maximumPacketSize))
        }
        if isVersion5, options.sessionExpiry > 0, options.clientID != nil {
            try check(
                unsafe mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), options.sessionExpiry))
        }
        try check(
            unsafe mosquitto_connect_bind_v5(
                handle, options.broker.host, Int32(options.broker.port), Int32(options.keepAlive), nil, properties))
    }

    /// The socket; -1 if there is no connection.
    var socket: Int32 { unsafe mosquitto_socket(handle) }

    /// Whether packets are queued to be sent.
    var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

    /// Reads packets from the readable socket and adds their content to `events`.
    func read() throws(MosquittoError) { try check(unsafe mosquitto_loop_read(handle, 1)) }

    /// Sends as many queued packets as the socket accepts.
    func write() throws(MosquittoError) { try check(unsafe mosquitto_loop_write(handle, 1)) }

    /// Sends a keep-alive packet if one is due, and ends the connection if the broker has not answered the last one. This must be called
    /// every second.
    func keepAlive() throws(MosquittoError) { try check(unsafe mosquitto_loop_misc(handle)) }

    /// Queues a SUBSCRIBE packet with the subscriptions of the options.
    func subscribe() throws(MosquittoError) {
        let filters = unsafe options.subscriptions.map { unsafe strdup($0) }
        defer { _ = unsafe filters.map { unsafe free($0) } }
        let code = unsafe mosquitto_subscribe_multiple(
            handle, nil, Int32(filters.count), filters, MQTTQuality.atLeastOnce.rawValue, 0, nil)
        try check(code)
    }

    /// Queues a message.
    ///
    /// - Returns: The number of the message in `events.published`.
    func publish(_ message: MQTTMessage) throws(MosquittoError) -> Int32 {
        // A C string ends at its first zero byte, so the topic would be cut off there.
        if message.topic.utf8.contains(0) { throw MosquittoError(code: MOSQ_ERR_INVAL.rawValue, systemCode: 0) }
        var id: Int32 = 0
        let code = unsafe message.payload.withUnsafeBytes {
            unsafe mosquitto_publish(
                handle, &id, message.topic, Int32($0.count), $0.baseAddress, message.quality.rawValue, message.isRetained)
        }
        try check(code)
        return id
    }

    /// Queues a DISCONNECT packet.
    func disconnect() throws(MosquittoError) { try check(unsafe mosquitto_disconnect(handle)) }

    private func check(_ code: Int32) throws(MosquittoError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MosquittoError(code: code, systemCode: errno, log: events.log)
    }
}

extension Mosquitto.Events {
    /// The events at the address that libmosquitto passes to its callbacks. The client retains the events for as long as libmosquitto may
    /// call back.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> Mosquitto.Events? {
        unsafe context.map { unsafe Unmanaged<Mosquitto.Events>.fromOpaque($0).takeUnretainedValue() }
    }
}
