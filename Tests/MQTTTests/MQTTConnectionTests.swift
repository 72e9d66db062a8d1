import Foundation
import MQTT
import Model
import Senders
import TestSupport
import Testing

@Suite("MQTT connection", .timeLimit(.minutes(60)), .enabled("mosquitto is not installed") { MQTTBroker.isInstalled })
struct MQTTConnectionTests {
    let recorder = ConnectionRecorder()

    private func options(_ broker: MQTTBroker, user: String? = nil, _ change: (inout MQTTOptions) -> Void = { _ in }) throws
        -> MQTTOptions
    {
        var options = MQTTOptions(patient: try BrokerAddress(broker.url(user: user)))
        change(&options)
        return options
    }

    /// A connected connection of another client.
    private func client(
        _ broker: MQTTBroker, user: String? = nil, _ change: (inout MQTTOptions) -> Void = { _ in }
    ) throws -> (connection: MQTTConnection, seen: ConnectionRecorder) {
        let seen = ConnectionRecorder()
        let connection = seen.connect(try options(broker, user: user, change))
        try seen.waitUntilConnected()
        return (connection, seen)
    }

    @Test("A connection that ends while the system still tries to reach the host says so until the system gives up")
    func blocked() throws {
        // A host whose queue of connections is full answers nothing.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        func withAddress(_ body: (UnsafeMutablePointer<sockaddr>) -> Int32) -> Int32 {
            withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) } }
        }
        #expect(withAddress { bind(listener, $0, length) } == 0)
        #expect(listen(listener, 0) == 0)
        #expect(withAddress { getsockname(listener, $0, &length) } == 0)
        var others: [Int32] = []
        for _ in 0..<8 {
            let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            others.append(other)
            _ = withAddress { connect(other, $0, length) }
        }
        defer { for other in others { close(other) } }
        var options = MQTTOptions(BrokerAddress(host: "127.0.0.1", port: Int(UInt16(bigEndian: address.sin_port))))
        options.connectTimeout = 0.1
        let connection = recorder.connect(options)
        connection.waitUntilEnded()
        #expect(connection.hasBlockedThread)
        close(listener)
        #expect(Watchdog.wait { !connection.hasBlockedThread })
    }

    // MARK: - Messages

    @Test(
        "Messages are published in order, and each acknowledgment is reported", arguments: [MQTTQuality.atMostOnce, .atLeastOnce])
    func publishes(_ quality: MQTTQuality) throws {
        let broker = try MQTTBroker()
        let (_, other) = try client(broker) { $0.subscriptions = ["picket/#"] }
        let (connection, seen) = try client(broker)
        let sent = (0..<100).map {
            MQTTMessage("picket/\($0)", "{\"n\":\($0)}", quality: quality)
        }
        for message in sent { #expect(connection.publish(message, seen.completion)) }
        try seen.wait(forResults: 100)
        #expect(seen.successes == 100)
        #expect(try other.wait(forMessages: 100).map(\.topic) == sent.map(\.topic))
        #expect(other.messages.map(\.text) == sent.map(\.text))
        #expect(other.messages.allSatisfy { !$0.isRetained })
    }

    @Test("A message is retained, received as retained, and removed with an empty one")
    func retains() throws {
        let broker = try MQTTBroker()
        let (connection, seen) = try client(broker)
        #expect(connection.publish(MQTTMessage("picket/state", "inside", isRetained: true), seen.completion))
        try seen.wait(forResults: 1)
        let (_, other) = try client(broker) { $0.subscriptions = ["picket/state"] }
        #expect(try other.wait(forMessages: 1) == [MQTTMessage("picket/state", "inside", isRetained: true)])
        #expect(connection.publish(MQTTMessage("picket/state", "", isRetained: true), seen.completion))
        try seen.wait(forResults: 2)
        #expect(try other.wait(forMessages: 2).last == MQTTMessage("picket/state", ""))
        let (_, third) = try client(broker) { $0.subscriptions = ["picket/+", "third"] }
        #expect(connection.publish(MQTTMessage("third", "x"), seen.completion))
        #expect(try third.wait(forMessages: 1).map(\.topic) == ["third"])
    }

    @Test("Binary payloads of a megabyte and many messages in a row arrive")
    func large() throws {
        let broker = try MQTTBroker()
        let (_, other) = try client(broker) { $0.subscriptions = ["big"] }
        let (connection, seen) = try client(broker)
        var random = SeededRandom(seed: 7)
        let payload = (0..<1_000_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        for _ in 0..<3 { #expect(connection.publish(MQTTMessage("big", payload), seen.completion)) }
        #expect(try other.wait(forMessages: 3).allSatisfy { $0.payload == payload })
        try seen.wait(forResults: 3)
        #expect(seen.successes == 3)
    }

    @Test("A message with an invalid topic is refused, and the others are sent", arguments: ["", "a/+/b", "a/#", "a\0b"])
    func badTopic(_ topic: String) throws {
        let broker = try MQTTBroker()
        let (connection, seen) = try client(broker)
        // A C string ends at its first zero byte, so another topic would be used.
        #expect(connection.publish(MQTTMessage(topic, "x"), seen.completion))
        #expect(connection.publish(MQTTMessage("good", "x"), seen.completion))
        let results = try seen.wait(forResults: 2)
        #expect(throws: Problem.self) { try results[0].get() }
        #expect(seen.successes == 1)
    }

    @Test("The connection accepts no more messages than its window, until some are acknowledged")
    func window() throws {
        let broker = try MQTTBroker()
        let (connection, seen) = try client(broker) { $0.window = 10 }
        broker.pause()
        var taken = 0
        while connection.publish(MQTTMessage("t", "\(taken)"), seen.completion) { taken += 1 }
        #expect(taken == 10)
        broker.resume()
        try seen.wait(forResults: 10)
        #expect(seen.successes == 10)
        #expect(connection.publish(MQTTMessage("t", "more"), seen.completion))
        try seen.wait(forResults: 11)
    }

    @Test("A completion can publish the next message, so that a queue feeds the connection")
    func feeds() throws {
        let broker = try MQTTBroker()
        let (_, other) = try client(broker) { $0.subscriptions = ["feed"] }
        let (connection, seen) = try client(broker) { $0.window = 4 }
        @Sendable func send(_ number: Int) {
            guard number < 200 else { return }
            let isTaken = connection.publish(MQTTMessage("feed", "\(number)")) { result in
                seen.completion(result)
                send(number + 1)
            }
            #expect(isTaken)
        }
        send(0)
        #expect(try other.wait(forMessages: 200).map(\.text) == (0..<200).map { "\($0)" })
    }

    // MARK: - Receiving

    @Test("A message is acknowledged only after it was handled")
    func acknowledges() throws {
        let publish: [UInt8] = [0x32, 9, 0, 3] + Array("a/b".utf8) + [0, 7, 0, 0x78]
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: ScriptedBroker.accept
            case 0x82: [0x90, 4, packet[2], packet[3], 0, 1] + publish
            default: []
            }
        }
        let mayReturn = DispatchSemaphore(value: 0)
        let isHandling = DispatchSemaphore(value: 0)
        var handlers = recorder.handlers
        handlers.received = { messages in
            #expect(messages == [MQTTMessage("a/b", "x")])
            isHandling.signal()
            mayReturn.wait()
            return true
        }
        var options = MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port))
        options.subscriptions = ["a/#"]
        let connection = recorder.connect(options, handlers)
        isHandling.wait()
        // Other packets wait as well, because packets are sent in order.
        #expect(!broker.packets.contains { $0[0] == 0x40 })
        mayReturn.signal()
        try recorder.waitUntilConnected()
        connection.close()
        #expect(try recorder.waitUntilEnded() == nil)
        try broker.wait { $0.contains { $0[0] == 0xE0 } }
        #expect(broker.packets.map { $0[0] & 0xF0 } == [0x10, 0x80, 0x40, 0xE0])
    }

    @Test("A message that could not be handled arrives again in the session's next connection")
    func redelivers() throws {
        let broker = try MQTTBroker()
        let session: (inout MQTTOptions) -> Void = {
            $0.clientID = "picket"
            $0.sessionExpiry = 3600
            $0.subscriptions = ["in"]
        }
        var handlers = recorder.handlers
        handlers.received = { _ in false }
        let first = recorder.connect(try options(broker, session), handlers)
        #expect(try !recorder.waitUntilConnected())
        let (sender, sent) = try client(broker)
        for number in 0..<5 { #expect(sender.publish(MQTTMessage("in", "\(number)"), sent.completion)) }
        #expect(try recorder.waitUntilEnded() == Problem(MQTTError.messagesNotProcessed))
        first.waitUntilEnded()
        // Messages that are sent meanwhile are also kept.
        #expect(sender.publish(MQTTMessage("in", "5"), sent.completion))
        try sent.wait(forResults: 6)
        let again = ConnectionRecorder()
        let second = again.connect(try options(broker, session))
        #expect(try again.waitUntilConnected())
        #expect(try again.wait(forMessages: 6).map(\.text) == ["0", "1", "2", "3", "4", "5"])
        second.close()
    }

    // MARK: - Endings

    @Test("A closed connection disconnects without its will, and fails what is in flight")
    func closes() throws {
        let broker = try MQTTBroker()
        let (_, other) = try client(broker) { $0.subscriptions = ["will", "last"] }
        let (connection, seen) = try client(broker) { $0.will = MQTTMessage("will", "gone") }
        #expect(connection.publish(MQTTMessage("last", "one"), seen.completion))
        connection.close()
        connection.waitUntilEnded()
        #expect(try seen.waitUntilEnded() == nil)
        try seen.wait(forResults: 1)
        #expect(try other.wait(forMessages: 1).map(\.topic) == ["last"])
        #expect(!connection.publish(MQTTMessage("last", "two")))
        #expect(!connection.isConnected)
        let (sender, _) = try client(broker)
        #expect(sender.publish(MQTTMessage("last", "three")))
        #expect(try other.wait(forMessages: 2).map(\.text) == ["one", "three"])
    }

    @Test("A connection that ends without a disconnect gets its will published")
    func will() throws {
        let broker = try MQTTBroker()
        let (_, other) = try client(broker) { $0.subscriptions = ["will"] }
        var handlers = recorder.handlers
        handlers.received = { _ in false }
        let connection = recorder.connect(
            try options(broker) {
                $0.subscriptions = ["go"]
                $0.will = MQTTMessage("will", "gone", isRetained: true)
            }, handlers)
        try recorder.waitUntilConnected()
        let (sender, _) = try client(broker)
        #expect(sender.publish(MQTTMessage("go", "")))
        #expect(try other.wait(forMessages: 1).map(\.text) == ["gone"])
        connection.waitUntilEnded()
    }

    @Test("A connection ends when it is released")
    func released() throws {
        let broker = try MQTTBroker()
        var connection: MQTTConnection? = MQTTConnection(try options(broker), recorder.handlers)
        try recorder.waitUntilConnected()
        #expect(connection?.isConnected == true)
        connection = nil
        #expect(try recorder.waitUntilEnded() == nil)
    }

    // MARK: - Faults

    @Test("When the broker is killed, each message has exactly one outcome, and a new connection works")
    func killed() throws {
        let broker = try MQTTBroker()
        let (connection, seen) = try client(broker) { $0.window = 100 }
        var taken = 0
        let total = 20_000
        while taken < total {
            if connection.publish(MQTTMessage("stream", "\(taken)"), seen.completion) {
                taken += 1
                if taken == 5000 { broker.kill() }
            } else if seen.hasEnded {
                break
            }
        }
        let problem = try seen.waitUntilEnded()
        #expect(problem?.code == "noConnection", "\(String(describing: problem))")
        #expect(problem?.details(in: .english)?.isEmpty == false)
        try #require(taken >= 5000 && taken < total)
        let results = seen.results
        #expect(results.count == taken)
        #expect(taken - seen.successes <= 100, "no more than the window is lost")
        for case .failure(let failure) in results { #expect(failure == problem) }

        try broker.start()
        let (next, again) = try client(broker)
        #expect(next.publish(MQTTMessage("stream", "again"), again.completion))
        try again.wait(forResults: 1)
        #expect(again.successes == 1)
    }

    @Test("A port without a listener gives noConnection", arguments: ["mqtt", "mqtts"])
    func refused(_ scheme: String) throws {
        let address = try BrokerAddress("\(scheme)://127.0.0.1:\(FreePort.find())")
        let connection = recorder.connect(MQTTOptions(patient: address))
        #expect(try recorder.waitUntilEnded() == .noConnection(peer: "\(address)", details: "Connection refused"))
        #expect(!connection.publish(MQTTMessage("a", "b")))
    }

    @Test("A host without an address gives noConnection")
    func unresolved() throws {
        let connection = recorder.connect(MQTTOptions(try BrokerAddress("mqtt://broker.invalid")))
        #expect(try recorder.waitUntilEnded()?.code == "noConnection")
        connection.waitUntilEnded()
    }

    @Test("A refused sign-in is reported, without the password", arguments: ["anna:wrong", "nobody:x", nil])
    func wrongPassword(_ signIn: String?) throws {
        var options = MQTTBroker.Options()
        options.users = ["anna": "secret"]
        let broker = try MQTTBroker(options)
        let prefix = signIn.map { "\($0)@" } ?? ""
        let address = try BrokerAddress("mqtt://\(prefix)127.0.0.1:\(broker.port)")
        let connection = recorder.connect(MQTTOptions(patient: address))
        let problem = try recorder.waitUntilEnded()
        #expect(problem?.code == "accessRefused")
        #expect(problem.map { "\($0)" }?.contains("mqtt://127.0.0.1:\(broker.port)") == true)
        #expect(problem.map { "\($0)" }?.contains("wrong") == false)
        connection.waitUntilEnded()
        _ = try client(broker, user: "anna")
    }

    @Test("A message that the broker forbids is reported, and the connection continues")
    func forbidden() throws {
        var options = MQTTBroker.Options()
        options.accessList = ["topic read allowed/#", "topic write allowed/#"]
        let broker = try MQTTBroker(options)
        let (connection, seen) = try client(broker) { $0.subscriptions = ["allowed/#"] }
        #expect(connection.publish(MQTTMessage("other", "x"), seen.completion))
        #expect(connection.publish(MQTTMessage("allowed/a", "x"), seen.completion))
        let results = try seen.wait(forResults: 2)
        #expect(
            throws: Problem.accessRefused(
                peer: "mqtt://127.0.0.1:\(broker.port)",
                details: .saying(.brokerRefusedMessage("other"), "Not authorized (135)"))
        ) {
            try results[0].get()
        }
        #expect(seen.successes == 1)
    }

    @Test("A refused subscription ends the connection, and is named", arguments: [0x80, 0x87])
    func refusedSubscription(_ reason: UInt8) throws {
        let broker = try ScriptedBroker { packet in
            packet[0] == 0x10 ? ScriptedBroker.accept : [0x90, 5, packet[2], packet[3], 0, 1, reason]
        }
        var options = MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port))
        options.subscriptions = ["allowed/#", "other/#"]
        let connection = recorder.connect(options)
        let problem = try recorder.waitUntilEnded()
        #expect(
            problem?.code == "accessRefused" && problem?.details(in: .english)?.contains("'other/#'") == true,
            "\(String(describing: problem))")
        connection.waitUntilEnded()
    }

    @Test("A message without an acknowledgment gives a timeout")
    func noAcknowledgement() throws {
        let broker = try MQTTBroker()
        let (connection, seen) = try client(broker) { $0.acknowledgementTimeout = 0.5 }
        broker.pause()
        #expect(connection.publish(MQTTMessage("t", "x"), seen.completion))
        let problem = try seen.waitUntilEnded()
        #expect(problem?.code == "timeout", "\(String(describing: problem))")
        #expect(throws: try #require(problem)) { try seen.results[0].get() }
    }

    @Test("A broker that does not answer the connection or the subscription gives a timeout", arguments: [0x10, 0x82])
    func noAnswer(_ ignored: UInt8) throws {
        let broker = try ScriptedBroker { $0[0] == ignored ? [] : ScriptedBroker.accept }
        var options = MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port))
        options.connectTimeout = 0.3
        options.subscriptions = ["a"]
        let connection = recorder.connect(options)
        #expect(try recorder.waitUntilEnded()?.code == "timeout")
        connection.waitUntilEnded()
    }

    @Test("Closing during connecting ends the connection at once")
    func closedEarly() throws {
        let broker = try ScriptedBroker { _ in [] }
        let connection = recorder.connect(MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port)))
        try broker.wait { !$0.isEmpty }
        connection.close()
        connection.waitUntilEnded()
        #expect(try recorder.waitUntilEnded() == nil)
    }

    @Test(
        "A broker that closes the connection or speaks another protocol gives noConnection",
        arguments: [nil, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"])
    func notABroker(_ answer: String?) throws {
        let broker = try ScriptedBroker { _ in answer.map { Array($0.utf8) } }
        let connection = recorder.connect(MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port)))
        #expect(try recorder.waitUntilEnded()?.code == "noConnection")
        connection.waitUntilEnded()
    }

    @Test(
        "A broker without MQTT 5.0 is spoken to in MQTT 3.1.1",
        arguments: [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0]] as [[UInt8]])
    func version(_ refusal: [UInt8]) throws {
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: packet[8] == 5 ? refusal : ScriptedBroker.accept3
            case 0x32: [0x40, 2] + packet.suffix(from: packet.count - 3).prefix(2)
            default: []
            }
        }
        let connection = recorder.connect(MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port)))
        try recorder.waitUntilConnected()
        #expect(connection.publish(MQTTMessage("t", "x"), recorder.completion))
        try recorder.wait(forResults: 1)
        #expect(recorder.successes == 1)
        #expect(broker.packets.prefix(2).map { $0[8] } == [5, 4])
    }

    @Test(
        "The reason of a refusal gives the matching problem",
        arguments: [
            (2, "validationFailed"), (3, "serverError"), (4, "accessRefused"), (5, "accessRefused"), (0x85, "validationFailed"),
            (0x88, "serverError"), (0x89, "serverError"), (0x8A, "accessRefused"), (0x97, "rateLimited"), (0x9F, "rateLimited"),
            (0x95, "tooLarge"), (0xFF, "noConnection"),
        ] as [(UInt8, String)])
    func reasons(_ reason: UInt8, _ code: String) throws {
        let broker = try ScriptedBroker { _ in [0x20, 3, 0, reason, 0] }
        let connection = recorder.connect(MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port)))
        let problem = try recorder.waitUntilEnded()
        #expect(problem?.code == code, "\(String(describing: problem))")
        connection.waitUntilEnded()
    }

    @Test("A message acknowledged right before the end of the connection counts as delivered")
    func acknowledgedLast() throws {
        let broker = try ScriptedBroker { packet in
            switch packet[0] {
            case 0x10: ScriptedBroker.accept
            // When both messages have arrived, the first one is acknowledged, and the connection ends.
            case 0x32: packet.last == UInt8(ascii: "2") ? [0x40, 2, 0, 1, 0xE0, 2, 0x8B, 0] : []
            default: []
            }
        }
        let connection = recorder.connect(MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port)))
        try recorder.waitUntilConnected()
        #expect(connection.publish(MQTTMessage("t", "1"), recorder.completion))
        #expect(connection.publish(MQTTMessage("t", "2"), recorder.completion))
        #expect(try recorder.waitUntilEnded()?.code == "serverError")
        let results = recorder.results
        #expect(results.count == 2 && recorder.successes == 1)
        #expect(throws: Never.self) { try results[0].get() }
    }

    @Test(
        "The reason of the broker's disconnect gives the matching problem",
        arguments: [
            (0x8B, "serverError", "shutting down"), (0x8E, "conflict", nil), (0x8D, "timeout", "Keep Alive"),
            (0, "noConnection", nil),
        ]
            as [(UInt8, String, String?)])
    func goodbye(_ reason: UInt8, _ code: String, _ details: String?) throws {
        let broker = try ScriptedBroker { $0[0] == 0x10 ? ScriptedBroker.accept + [0xE0, 2, reason, 0] : [] }
        var options = MQTTOptions(patient: BrokerAddress(host: "127.0.0.1", port: broker.port))
        options.clientID = "picket"
        let connection = recorder.connect(options)
        let problem = try recorder.waitUntilEnded()
        #expect(problem?.code == code, "\(String(describing: problem))")
        if let details { #expect(problem?.details(in: .english)?.contains(details) == true, "\(String(describing: problem))") }
        connection.waitUntilEnded()
    }
}
