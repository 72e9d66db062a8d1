import CMosquitto
import Foundation
import Model

/// One client of libmosquitto (https://mosquitto.org/api/files/mosquitto-h.html). It belongs to the thread that made it.
///
/// libmosquitto would answer a message with PUBACK before the message is handled, as its documentation says nothing of a manual
/// acknowledgement. In its "threaded" mode it only queues what it sends, and `write()` sends it. This thread calls that function
/// itself, so a PUBACK leaves after the message was handled, or never.
///
/// libmosquitto calls back with a lock of its own held. So the callbacks only gather what happened (`events`).
@safe struct Mosquitto: ~Copyable {
    /// What happened since it was last looked at.
    let events: Events
    private let handle: OpaquePointer
    private let options: MQTTOptions
    private let isVersion5: Bool

    /// Gathered by libmosquitto's callbacks.
    final class Events {
        /// The reason code of CONNACK; nil before it has come.
        var connected: Int32?
        var isSessionPresent = false
        /// What SUBACK granted, or refused, for each subscription; nil before it has come.
        var granted: [Int32]?
        /// Messages that were acknowledged, or refused from reason 128 on.
        var published: [(id: Int32, reason: Int32)] = []
        var received: [MQTTMessage] = []
        /// The bytes of their payloads.
        var receivedBytes = 0
        /// Why the broker ended the connection.
        var disconnected: Int32?
        var log: [String] = []
    }

    private init(_ handle: OpaquePointer, _ events: Events, _ options: MQTTOptions, isVersion5: Bool) {
        unsafe self.handle = handle
        self.events = events
        self.options = options
        self.isVersion5 = isVersion5
    }

    /// A client that is not connected yet.
    ///
    /// - Throws: `Problem.fileFailed` for authorities that cannot be read, `.validationFailed` for options that MQTT does not
    ///   allow.
    static func make(_ options: MQTTOptions, isVersion5: Bool) throws(Problem) -> Mosquitto {
        let events = Events()
        let keepsSession = options.sessionExpiry > 0 && options.clientID != nil
        let context = unsafe Unmanaged.passUnretained(events).toOpaque()
        guard isReady, let made = unsafe mosquitto_new(options.clientID, !keepsSession, context) else {
            if isReady, let name = options.clientID {
                throw .validationFailed(
                    field: "client id", value: name, reason: .notAllowedByMQTT, expected: .clientID)
            }
            throw .unknown(details: "libmosquitto cannot start")
        }
        let client = unsafe Mosquitto(made, events, options, isVersion5: isVersion5)
        try client.prepare()
        return client
    }

    private func prepare() throws(Problem) {
        set(MOSQ_OPT_PROTOCOL_VERSION, isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        set(MOSQ_OPT_TCP_NODELAY, 1)
        // The most that the broker has in flight to us, and we to it. The broker's own limit holds too.
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

    /// The most messages that the broker sends ahead of their acknowledgement.
    static let receiveMaximum: Int32 = 1000

    /// The most bytes of a message that a broker of MQTT 5.0 sends. Others may send up to 256 MB.
    private static let longestPacket: UInt32 = 4 << 20

    /// libmosquitto is to be started once a process, by one thread.
    private static let isReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

    private func set(_ option: mosq_opt_t, _ value: Int32) { _ = unsafe mosquitto_int_option(handle, option, value) }

    private func useTLS() throws(Problem) {
        guard let authorities = options.authorities else { return set(MOSQ_OPT_TLS_USE_OS_CERTS, 1) }
        // It answers "invalid" for a file that it cannot open.
        guard unsafe mosquitto_tls_set(handle, authorities, nil, nil, nil, nil) == MOSQ_ERR_SUCCESS.rawValue else {
            throw .fileFailed(path: authorities, reason: .certificatesUnreadable)
        }
    }

    private func check(_ code: Int32, _ field: String, _ value: String) throws(Problem) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw .validationFailed(
            field: field, value: value, reason: .verbatim(unsafe String(cString: mosquitto_strerror(code))),
            expected: .allowedByMQTT)
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

    /// Has libmosquitto log nothing from now on: it would write a line for each packet.
    func endLog() { unsafe mosquitto_log_callback_set(handle, nil) }

    // MARK: - The connection

    /// Connects to the broker's host, which may take as long as the system tries, and begins to sign in.
    func connect() throws(MosquittoError) {
        var properties: OpaquePointer?
        defer { unsafe mosquitto_property_free_all(&properties) }
        if isVersion5 {
            try check(
                unsafe mosquitto_property_add_int32(
                    &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), Mosquitto.longestPacket))
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

    /// The socket; -1 when there is no connection.
    var socket: Int32 { unsafe mosquitto_socket(handle) }

    /// Whether there is something to send.
    var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

    /// Reads a packet or more, when the socket is readable. What they say is in `events`.
    func read() throws(MosquittoError) { try check(unsafe mosquitto_loop_read(handle, 1)) }

    /// Sends as much as the socket takes of what is queued.
    func write() throws(MosquittoError) { try check(unsafe mosquitto_loop_write(handle, 1)) }

    /// Sends a sign of life when it is time, and ends a connection on which there was none of the broker. To be called each second.
    func keepAlive() throws(MosquittoError) { try check(unsafe mosquitto_loop_misc(handle)) }

    /// Queues the subscriptions of the options.
    func subscribe() throws(MosquittoError) {
        let filters = unsafe options.subscriptions.map { unsafe strdup($0) }
        defer { unsafe filters.forEach { unsafe free($0) } }
        let code = unsafe mosquitto_subscribe_multiple(
            handle, nil, Int32(filters.count), filters, MQTTQuality.atLeastOnce.rawValue, 0, nil)
        try check(code)
    }

    /// Queues a message, and gives the number by which `events.published` names it.
    func publish(_ message: MQTTMessage) throws(MosquittoError) -> Int32 {
        // A C string ends at its first zero, so the topic would be another one.
        if message.topic.utf8.contains(0) { throw MosquittoError(code: MOSQ_ERR_INVAL.rawValue, systemCode: 0) }
        var id: Int32 = 0
        let code = unsafe message.payload.withUnsafeBytes {
            unsafe mosquitto_publish(
                handle, &id, message.topic, Int32($0.count), $0.baseAddress, message.quality.rawValue, message.isRetained)
        }
        try check(code)
        return id
    }

    /// Queues a goodbye.
    func disconnect() throws(MosquittoError) { try check(unsafe mosquitto_disconnect(handle)) }

    private func check(_ code: Int32) throws(MosquittoError) {
        guard code != MOSQ_ERR_SUCCESS.rawValue else { return }
        throw MosquittoError(code: code, systemCode: errno, log: events.log)
    }
}

extension Mosquitto.Events {
    /// The events behind the pointer that libmosquitto hands to its callbacks. The client keeps them as long as libmosquitto may
    /// call back.
    fileprivate static func of(_ context: UnsafeMutableRawPointer?) -> Mosquitto.Events? {
        unsafe context.map { unsafe Unmanaged<Mosquitto.Events>.fromOpaque($0).takeUnretainedValue() }
    }
}
