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
            let shown = command == ["device", "show", "phone"] ? lines.filter { $0.contains("platform") } : named
            #expect(!shown.isEmpty, "\(command): \(lines)")
            for line in shown { #expect(line.contains("(simulated)"), "\(command): \(line)") }
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

    @Test("A device gets the profile, and a change of it is a new phone")
    func profile() throws {
        try shell.picket.run("device", "add", "phone", "--platform", "ios", "--profile", "clmonitor")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,200")
        #expect(try shell.picket.run("fix-registration").status == 0)
        #expect(try shell.picket.run("registry", "show").lines[0].contains("phone (iOS, clmonitor) (simulated): 1 of 20 regions"))
        #expect(try shell.picket.run("health").status == 0)
        try shell.picket.run("device", "edit", "phone", "--profile", "custom", "--region-limit", "5", "--largest-radius", "1000")
        #expect(try shell.picket.run("registry", "show").lines[0].contains("phone (iOS, custom) (simulated): 0 of 5 regions"))
        try shell.picket.run("geofence", "add", "--id", "large", "--name", "Large", "--circle", "52.5,13.4,2000")
        #expect(try shell.picket.run("fix-registration").status == 0)
        #expect(try shell.picket.run("health").output.contains("its radius of 2 km is larger than iOS watches"))
        let real = try shell.picket.run(
            "device", "add", "real", "--platform", "ios", "--registry", "app", "--profile", "clmonitor")
        #expect(real.status == 2 && real.errors.contains("not simulated"), "\(real.errors)")
    }

    @Test(
        "Profiles that a phone cannot have are refused with what is expected",
        arguments: [
            (["--platform", "android", "--profile", "clmonitor"], "standard"), (["--profile", "custom"], "--limit"),
            (["--largest-radius", "500"], "--profile custom"), (["--profile", "custom", "--limit", "1"], "2"),
        ])
    func refused(options: [String], word: String) throws {
        let run = try shell.picket.run(["coverage", "ride.gpx", "--geofences", "places.geojson"] + options)
        #expect(run.status == 2 && run.errors.contains(word), "\(run.errors)")
    }
}
