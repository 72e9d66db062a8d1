import TestSupport
import Testing

@Suite("Fault commands")
struct RegistryFaultTests {
    @Test(
        "A fault with a missing or invalid value names the value",
        arguments: [
            (["drift", "stop-1"], "'drift' needs METERS"), (["drift"], "'drift' needs ID and METERS"),
            (["zombify"], "'zombify' needs ID"), (["refuse"], "'refuse' needs CODE"), (["delayReport"], "needs DURATION"),
            (["update", "now"], "Unexpected argument 'now'"), (["delayReport", "soon"], "DURATION 'soon'"),
            (["refuse", "99"], "CODE '99'"), (["melt"], "FAULT 'melt'"),
        ])
    func faults(words: [String], says: String) throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        let refused = try shell.picket.run(["registry", "fail"] + words)
        #expect(refused.status == 2 && refused.errors.contains(says), "\(refused.errors)")
    }
}
