import Foundation
import Model
import TestSupport
import Testing

@Suite("A log that is not read")
struct UnreadLogTests {
    @Test("A service whose standard error is a full pipe answers, stores positions, and ends by SIGTERM")
    func fullPipe() throws {
        let directory = try TemporaryDirectory()
        let data = directory.path + "/data"
        let (output, errors) = (Pipe(), Pipe())
        // The pipe is full from the start, and is not read.
        let end = dup(errors.fileHandleForWriting.fileDescriptor)
        defer { close(end) }
        let isBlocking = fcntl(end, F_GETFL)
        _ = fcntl(end, F_SETFL, isBlocking | O_NONBLOCK)
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while write(end, block, block.count) > 0 {}
        while write(end, block, 1) > 0 {}
        _ = fcntl(end, F_SETFL, isBlocking)
        let process = try TestProcess(
            Program.path, ["--data", data, "serve", "--json", "--listen", "127.0.0.1:0", "--log-level", "debug"],
            output: .pipe(output), errors: .pipe(errors))
        defer { process.kill() }
        var line: [UInt8] = []
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { line.append(byte) }
        let url = try JSONParser.parse(String(decoding: line, as: UTF8.self))["url"]?.string
        let port = try #require(url?.split(separator: ":").last.flatMap { Int($0) })
        let connection = try RawConnection(port: port)
        let body = #"{"device":"a","timestamp":\#(Int(Date().timeIntervalSince1970)),"latitude":52.5,"longitude":13.4}"#
        #expect(try connection.send("POST", "/v1/positions", body: body)?.status == 200)
        // Each is logged: unusable input of another device.
        for number in 0..<200 {
            #expect(try connection.send("GET", "/osmand?id=noise-\(number)&lat=abc&lon=13")?.status ?? 0 > 0)
        }
        for path in ["/healthz", "/readyz", "/v1/devices/a"] { #expect(try connection.send("GET", path)?.status == 200) }
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let stored = try Program(data: data).run("check", "--json").output
        #expect(try JSONParser.parse(stored)["fixes"]?.double == 1, "\(stored)")
    }
}
