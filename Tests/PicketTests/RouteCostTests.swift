import Testing

@Suite("The cost of routes")
struct RouteCostTests {
    @Test(
        "Each route has requests in tools/route-cost, and they are answered as expected",
        .enabled("there is no python3") { PythonTool.canRun })
    func routes() async throws {
        let (status, text) = try await PythonTool.run("route-cost", ["--check"])
        #expect(status == 0, "\(text)")
        #expect(text.contains("GET /v1/visits: "), "\(text)")
    }
}
