import Model
import TestSupport
import Testing

@Suite("Problem commands")
struct ProblemCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    /// Creates a phone whose repair fails until it is allowed.
    private func fail() throws {
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,200")
        try shell.picket.run("registry", "authorize", "denied")
        for _ in 1...3 { #expect(try shell.picket.run("fix-registration").status == 1) }
    }

    @Test("A problem is recorded by a repair, listed, shown in the status, and resolved by the next repair")
    func life() throws {
        try shell.picket.createStore()
        #expect(try shell.picket.run("problems").output == "No open problems.\n")
        #expect(try shell.picket.run("problems").status == 0)
        #expect(try shell.picket.run("problems", "--language", "tr").output == "Açık sorun yok.\n")
        try fail()
        let listed = try shell.picket.run("problems")
        #expect(listed.status == 1)
        for part in ["registry/phone (simulated)", "Needs 'Always' authorization", "3 times", "escalated", "Allow 'Always'"] {
            #expect(listed.output.contains(part), "\(listed.output)")
        }
        #expect(try shell.picket.run("status").lines.last == "1 open problem, 1 of them escalated: picket problems")
        let json = try JSONParser.parse(try shell.picket.run("problems", "--json").output)
        let id = try #require(json["id"]?.string)
        #expect(try shell.picket.run("problems", "show", id).output.contains("authorizationRequired"))
        let turkish = try shell.picket.run("problems", "--language", "tr").output
        for part in ["registry/phone (simülasyon)", "'Her Zaman'", "3 kez", "ağırlaştı"] {
            #expect(turkish.contains(part), "\(turkish)")
        }
        try shell.picket.run("registry", "authorize", "always")
        #expect(try shell.picket.run("fix-registration").status == 0)
        #expect(try shell.picket.run("problems").status == 0)
    }

    @Test("A dismissed problem is hidden, and listed on request")
    func dismissed() throws {
        try fail()
        let id = try #require(try JSONParser.parse(try shell.picket.run("problems", "--json").output)["id"]?.string)
        #expect(try shell.picket.run("problems", "dismiss", id).output.contains("It is shown again"))
        #expect(try shell.picket.run("problems").status == 0)
        #expect(try shell.picket.run("problems", "--all").output.contains("dismissed"))
        #expect(try !shell.picket.run("status").output.contains("problem"))
        #expect(try shell.picket.run("problems", "dismiss", "99").status == 2)
    }

    @Test("A check that finds the phone healthy resolves its problem")
    func recovered() throws {
        try fail()
        try shell.picket.run("geofence", "remove", "home")
        try shell.picket.run("registry", "authorize", "always")
        #expect(try shell.picket.run("health").status == 0)
        #expect(try shell.picket.run("problems").status == 0)
    }
}
