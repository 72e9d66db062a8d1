import Testing

@Suite("Service crashes")
struct CrashTests {
    @Test(
        "A killed service loses nothing acknowledged, and reports every event once (short form of tools/crash-test)",
        .enabled("there is no python3") { PythonTool.canRun })
    func crash() async throws {
        let (status, text) = try await PythonTool.run("crash-test", ["5"])
        #expect(status == 0, "\(text)")
        #expect(text.contains("5 rounds in"), "\(text)")
    }
}
