import Core
import HTTPClient
import Model
import Senders
import Synchronization
import Workers

extension BlockedBenchmark {
    /// Two clients ask for the totals of many phones at once, before and after the service has found the health of each.
    func measurePhoneTotals() throws(Problem) {
        let phones = isShort ? 30 : 3000
        try withService(data("phones")) { service throws(Problem) in
            for number in 0..<100 {
                let body = #"{"id":"g\#(number)","name":"g","latitude":0.\#(100 + number),"longitude":0.5,"radius":200}"#
                _ = try service.send(.init("POST", "/v1/geofences", body: body))
            }
            for number in 0..<phones {
                let body = #"{"platform":"ios","registry":"simulated"}"#
                _ = try service.send(.init("PUT", "/v1/devices/phone-\(number)", body: body))
            }
            for (state, target) in [("not yet known", "/v1/geofences/g0"), ("known", "/v1/geofences/g0"), ("known", "/readyz")] {
                try measureTotals("totals of \(Format.number(phones)) phones, \(state)", beside: target, of: service)
            }
        }
    }

    /// Asks for the totals over two connections at once, and prints how long other requests waited meanwhile.
    private func measureTotals(_ name: String, beside target: String, of service: ServedService) throws(Problem) {
        let running = Mutex(2)
        let problem = Mutex<Problem?>(nil)
        let port = service.child.port
        let start = Monotonic.nanoseconds()
        let threads = WorkThreads("totals", count: 2) {
            do throws(Problem) {
                try Self.requestTotals(port: port)
            } catch {
                problem.withLock { $0 = error }
            }
            running.withLock { $0 -= 1 }
        }
        var waits = LatencyHistogram()
        var failure: Problem?
        repeat {
            do throws(Problem) {
                waits.add(nanoseconds: Int64(try service.send(.init("GET", target)) * 1e6))
            } catch {
                failure = error
            }
        } while failure == nil && running.withLock { $0 } > 0
        threads.join()
        let milliseconds = Double(Monotonic.nanoseconds() - start) * 1e-6
        if let failure = failure ?? problem.withLock({ $0 }) { throw failure }
        printRow(name, took: milliseconds, waiting: target == "/readyz" ? "readyz" : "a geofence", waits)
    }

    private static func requestTotals(port: Int) throws(Problem) {
        var options = HTTPClient.Options()
        options.timeout = 600
        options.usesProxies = false
        let target = "http://127.0.0.1:\(port)/v1/health?totals=true"
        let response: HTTPResponse
        do {
            response = try HTTPClient(options).send(HTTPRequest("GET", target))
        } catch {
            throw Problem(error)
        }
        guard response.status == 200 else { throw .benchmark("GET \(target) was answered with status \(response.status)") }
    }
}
