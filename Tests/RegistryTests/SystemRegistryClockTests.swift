import Model
import Registry
import Testing

@Suite struct SystemRegistryClockTests {
    @Test func passedDeadlineReturnsAtOnce() async throws {
        let clock = SystemRegistryClock()
        try await clock.sleep(until: clock.now + -60)
    }

    @Test func canceledTaskDoesNotSleep() async {
        let clock = SystemRegistryClock()
        let sleep = Task { try await clock.sleep(until: clock.now + 3600) }
        sleep.cancel()
        await #expect(throws: CancellationError.self) { try await sleep.value }
    }
}
