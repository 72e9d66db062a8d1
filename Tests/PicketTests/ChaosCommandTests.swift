import TestSupport
import Testing

@Suite("Chaos on the command line")
struct ChaosCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    @Test("A day of chaos ends healthy, and says the same each time")
    func day() throws {
        let first = try shell.picket.run("registry", "chaos", "--seed", "3", "--hours", "24")
        #expect(first.status == 0, "\(first.output)\(first.errors)")
        #expect(first.lines[0] == "iOS, 20 regions, 60 geofences, 24 hours, seed 3.")
        #expect(first.output.contains("at the end: Healthy."), "\(first.output)")
        #expect(try shell.picket.run("registry", "chaos", "--seed", "3", "--hours", "24").output == first.output)
        #expect(try shell.picket.run("registry", "chaos", "--seed", "4", "--hours", "24").output != first.output)
    }

    @Test("As JSON, each event is a line, and the result is the last one", arguments: ["clmonitor", "standard"])
    func json(profile: String) throws {
        let run = try shell.picket.run("registry", "chaos", "--hours", "12", "--profile", profile, "--json")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.lines.dropLast().allSatisfy { $0.hasPrefix("{\"at\":") && $0.contains("\"isHealthy\":") })
        let result = try #require(run.lines.last)
        #expect(result.contains("\"profile\":\"\(profile)\"") && result.contains("\"isPassed\":true"), "\(result)")
    }

    @Test("The phone is like the device's, and the data directory stays as it was")
    func device() throws {
        try shell.picket.run(
            "device", "add", "phone", "--platform", "android", "--profile", "custom", "--region-limit", "5")
        for number in 1...9 {
            try shell.picket.run("geofence", "add", "--id", "f\(number)", "--name", "F", "--circle", "52.\(number),13.4,300")
        }
        let before = try shell.picket.run("registry", "show", "--json").output
        let run = try shell.picket.run("registry", "chaos", "--device", "phone", "--hours", "6")
        #expect(run.lines[0] == "Android, custom, 5 regions, 9 geofences, 6 hours, seed 1.", "\(run.output)\(run.errors)")
        #expect(try shell.picket.run("registry", "show", "--json").output == before)
    }

    @Test(
        "Profiles that a phone cannot have are refused with what is expected",
        arguments: [
            (["--platform", "android", "--profile", "clmonitor"], "standard"), (["--profile", "custom"], "--limit"),
            (["--largest-radius", "500"], "--profile custom"), (["--profile", "custom", "--limit", "1"], "2"),
            (["--hours", "0"], "--hours"),
        ])
    func refused(options: [String], word: String) throws {
        let run = try shell.picket.run(["registry", "chaos"] + options)
        #expect(run.status == 2 && run.errors.contains(word), "\(run.errors)")
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
        #expect(try shell.picket.run("health").output.contains("its radius of 2.0 km is more than iOS watches"))
        let real = try shell.picket.run(
            "device", "add", "real", "--platform", "ios", "--registry", "app", "--profile", "clmonitor")
        #expect(real.status == 2 && real.errors.contains("simulation"), "\(real.errors)")
    }
}
