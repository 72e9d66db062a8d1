import TestSupport
import Testing

@Suite("Simulated phones on the command line")
struct SimulatedPhoneTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    @Test("A new simulated phone is called simulated, with how to add a real one")
    func made() throws {
        let made = try shell.picket.run("device", "add", "phone", "--platform", "ios")
        #expect(made.status == 0 && made.output.contains("simulated"), "\(made.output)")
        for registry in ["--registry app", "owntracks", "none"] { #expect(made.output.contains(registry), "\(made.output)") }
        let real = try shell.picket.run("device", "add", "real", "--platform", "ios", "--registry", "app")
        #expect(real.status == 0 && !real.output.contains("simulated"), "\(real.output)")
        let without = try shell.picket.run("device", "add", "x", "--registry", "app")
        #expect(without.status == 2 && without.errors.contains("--platform"), "\(without.errors)")
    }

    @Test("Every command calls a simulated phone simulated, and no real one")
    func everywhere() throws {
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("device", "add", "real", "--platform", "ios", "--registry", "app")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,200")
        let commands = [
            ["device", "list"], ["device", "show", "phone"], ["health"], ["fix-registration", "--device", "phone"],
            ["fix-registration", "--history"], ["health", "--history"], ["registry", "show"], ["registry", "drop", "home"],
            ["registry", "authorize", "denied"], ["registry", "location", "off"], ["registry", "reboot"],
        ]
        for command in commands {
            let lines = try shell.picket.run(command).lines
            let named = lines.filter { $0.contains("phone") && !$0.hasPrefix("  ") && $0.contains(where: \.isLetter) }
            let told = command == ["device", "show", "phone"] ? lines.filter { $0.contains("platform") } : named
            #expect(!told.isEmpty, "\(command): \(lines)")
            for line in told { #expect(line.contains("(simulated)"), "\(command): \(line)") }
            for line in lines where line.contains("real ") { #expect(!line.contains("(simulated)"), "\(command): \(line)") }
        }
    }

    @Test("A failed repair calls a simulated phone simulated")
    func unrepaired() throws {
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,200")
        try shell.picket.run("registry", "authorize", "denied")
        let errors = try shell.picket.run("fix-registration").errors
        #expect(errors.contains("(simulated): "), "\(errors)")
    }

    @Test("Without managed devices, the health command suggests real phones before simulated ones")
    func empty() throws {
        try shell.picket.run("device", "add", "van")
        let lines = try shell.picket.run("health").lines
        let real = try #require(lines.firstIndex { $0.contains("--registry app") })
        let simulated = try #require(lines.firstIndex { $0.contains("simulated") })
        #expect(real < simulated, "\(lines)")
    }
}
