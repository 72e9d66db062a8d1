import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@Suite(
    "A service that the dashboard does not hear", .timeLimit(browserTimeLimit),
    .inBrowser, .enabled("chromium and chromedriver are not installed") { Browser.isInstalled })
struct LostServiceTests {
    private static let isOffline = "document.querySelector('#offline.shown')"

    private static func status(_ name: String) -> String { "document.getElementById('page-status').dataset.status === '\(name)'" }

    private static func bench(_ route: String = "#/") throws -> DashboardBench {
        let bench = try DashboardBench { try $0.run("device", "add", "anna") }
        try bench.browser.replaceClock()
        try bench.open(route)
        try bench.wait("#page-status[data-status=fine]", contains: "Up to date")
        // Nothing of the stream's beginning arrives after the service hangs.
        try bench.browser.waitForStream()
        return bench
    }

    @Test("A hung service is never shown as up to date: first its silence is shown, then the banner, and its return clears both")
    func hung() throws {
        let bench = try Self.bench()
        while true {
            try bench.browser.stopClock()
            bench.setHung(true)
            try bench.browser.advanceClock(until: "\(Self.status("silent")) || \(Self.status("offline"))")
            if try bench.browser.evaluate("return \(Self.status("silent"))").bool == true { break }
            // A notice was on its way, so the page sent a request, and its time limit was over first.
            try bench.browser.startClock()
            bench.setHung(false)
            try bench.wait("#page-status[data-status=fine]")
        }
        try bench.wait("#page-status[data-status=silent]", contains: "Last heard 3")
        try bench.waitForNone("#offline.shown")
        // A request that is given up after 15 seconds shows that the service is not reachable.
        try bench.browser.advanceClock(seconds: 16)
        try bench.browser.advanceClock(until: Self.isOffline)
        try bench.wait("#offline.shown", contains: "Service unreachable")
        try bench.wait("#page-status[data-status=offline]")
        // What was loaded stays.
        try bench.wait("#overview-devices", contains: "anna")
        try bench.browser.startClock()
        bench.setHung(false)
        try bench.waitForNone("#offline.shown")
        try bench.wait("#page-status[data-status=fine]")
        try bench.browser.waitForStream()
    }

    @Test("A view that is opened while the service hangs does not load forever, and is loaded when the service is back")
    func hungView() throws {
        let bench = try Self.bench()
        try bench.browser.stopClock()
        bench.setHung(true)
        try bench.browser.evaluate("location.hash = '#/health/anna'")
        try bench.wait("#main", contains: "Loading")
        // A heartbeat that was sent before and arrives now only postpones it.
        try bench.browser.advanceClock(until: "document.getElementById('main').textContent.includes('This is not loaded yet.')")
        try bench.wait("#offline.shown", contains: "Service unreachable")
        // If the stream is still open, its next heartbeat is enough, and no timer of the page has to run.
        if try bench.browser.evaluate("return app.connection.stream").string != "open" { try bench.browser.startClock() }
        bench.setHung(false)
        try bench.wait("#main", contains: "not managed")
        try bench.waitForNone("#offline.shown")
    }

    @Test("After the computer has slept, the stream is opened again at once, and everything is loaded again")
    func slept() throws {
        // The stream brings nothing but its beginning, like that of a computer that sleeps.
        let (bench, proxy) = try Self.open(through: .silencesStream, stream: "open")
        try bench.browser.stopClock()
        let before = proxy.streams
        try bench.run("geofence", "add", "--id", "new", "--circle", "52.5,13.4,100")
        try bench.wait("#overview-devices .footer", contains: " 0 geofences")
        #expect(proxy.streams == before)
        try bench.browser.startClock()
        try bench.browser.sleep(seconds: 8 * 3600)
        try bench.wait("#overview-devices .footer", contains: " 1 geofences")
        try bench.wait("#page-status[data-status=fine]")
        try bench.browser.waitForStream()
        #expect(proxy.streams > before)
        try bench.waitForNone("#offline.shown")
    }

    /// A proxy in front of a service, which may hold back parts of what the service sends.
    private final class SlowProxy: Sendable {
        enum Fault { case buffersStream, silencesStream, answersNothing }
        let server: LoopbackServer
        private let fault: SharedFault

        private final class SharedFault: Sendable {
            let value: Mutex<Fault>
            init(_ fault: Fault) { value = Mutex(fault) }
        }

        var url: String { server.url + "/" }
        var streams: Int { server.requests.count { $0.contains("/v1/events/stream") } }

        init(port: Int, _ first: Fault) throws {
            let shared = SharedFault(first)
            fault = shared
            server = try LoopbackServer { request, _ in
                let fault = shared.value.withLock { $0 }
                if fault == .answersNothing { return [.wait] }
                if request.contains("/v1/events/stream") {
                    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                    // A stream without an end, of which nothing or only the beginning arrives.
                    return [.send(head + (fault == .silencesStream ? "event: heartbeat\ndata: {}\n\n" : "")), .wait]
                }
                // The answer must be text, so it must not be compressed.
                let lines = request.components(separatedBy: "\r\n").filter {
                    !$0.lowercased().hasPrefix("host:") && !$0.lowercased().hasPrefix("accept-encoding:")
                        && !$0.lowercased().hasPrefix("origin:")
                }
                guard let connection = try? RawConnection(port: port) else { return [.close] }
                connection.send(([lines[0], "Host: 127.0.0.1:\(port)"] + lines.dropFirst()).joined(separator: "\r\n"))
                guard let answer = try? connection.answer() else { return [.close] }
                let headers = answer.headers.filter { !["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
                return LoopbackServer.answer(
                    "\(answer.status) X", headers: headers.map { "\($0.name): \($0.value)\r\n" }.joined(), body: answer.text)
            }
        }

        func set(_ next: Fault) { fault.value.withLock { $0 = next } }
    }

    /// Opens the page behind a proxy, and waits until the stream is in a state.
    private static func open(
        through fault: SlowProxy.Fault, stream state: String
    ) throws -> (bench: DashboardBench, proxy: SlowProxy) {
        let bench = try DashboardBench { try $0.run("device", "add", "anna") }
        let proxy = try SlowProxy(port: bench.port, fault)
        try bench.browser.replaceClock()
        try bench.browser.open(proxy.url + "#/")
        try bench.wait("#page-status[data-status=fine]")
        try bench.browser.waitForStream(state)
        return (bench, proxy)
    }

    @Test("Behind a proxy that holds the stream back, the page asks every ten seconds, and says that live updates are paused")
    func buffered() throws {
        let (bench, proxy) = try Self.open(through: .buffersStream, stream: "connecting")
        defer { withExtendedLifetime(proxy) {} }
        try bench.browser.advanceClock(until: "app.connection.failures >= 1")
        try bench.run("device", "add", "ben")
        try bench.browser.advanceClock(seconds: 11)
        try bench.wait("#overview-devices", contains: "ben")
        try bench.waitForNone("#offline.shown")
        try bench.browser.advanceClock(until: "document.querySelector('.pill')")
        try bench.wait(".pill", contains: "Live updates paused")
        #expect(try bench.browser.evaluate("return app.connection.stream !== 'open'").bool == true)
        try bench.waitForNone("#offline.shown")
    }

    @Test("A stream that falls silent while the service answers is replaced, without a banner")
    func silentStream() throws {
        let (bench, proxy) = try Self.open(through: .silencesStream, stream: "open")
        let before = proxy.streams
        try bench.browser.advanceClock(seconds: 36)
        try bench.browser.waitForStream()
        #expect(proxy.streams > before)
        try bench.waitForNone("#offline.shown")
    }

    @Test("A connection of which only one half is open is found by its silence and by unanswered requests")
    func halfOpen() throws {
        let (bench, proxy) = try Self.open(through: .silencesStream, stream: "open")
        proxy.set(.answersNothing)
        try bench.browser.advanceClock(until: Self.isOffline)
        try bench.wait("#offline.shown", contains: "Service unreachable")
        proxy.set(.silencesStream)
        try bench.browser.advanceClock(until: "!\(Self.isOffline)")
        try bench.browser.waitForStream()
    }

    @Test("A view that is first opened while the service is away is loaded when the service is back")
    func firstOpenedOffline() throws {
        let bench = try DashboardBench { try $0.run("device", "add", "anna") }
        try bench.open()
        try bench.wait("#page-status[data-status=fine]")
        bench.stop()
        try bench.wait("#offline.shown", contains: "Service unreachable")
        try bench.browser.evaluate("location.hash = '#/map'")
        try bench.wait("#main", contains: "This is not loaded yet.")
        try bench.start()
        try bench.wait(".map-view")
        try bench.waitForNone("#offline.shown")
        try bench.browser.evaluate("location.hash = '#/sinks'")
        try bench.wait("#add-sink")
    }
}
