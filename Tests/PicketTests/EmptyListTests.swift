import TestSupport
import Testing

@Suite("Empty lists")
struct EmptyListTests {
    @Test("A list without matches names the filter")
    func lists() throws {
        let shell = try Shell()
        try shell.picket.createStore()
        func output(_ words: String...) throws -> String { try shell.picket.run(words).output }
        #expect(
            try output("geofence", "list", "--matching", "zzz").contains(
                "No geofence in \(shell.picket.data) matches --matching zzz."))
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100", "--groups", "family")
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        #expect(try output("geofence", "list", "--matching", "hom").contains("1 geofence"))
        for words in [
            ["geofence", "list", "--matching", "zzz"], ["geofence", "list", "--matching", "zzz", "--group", "family"],
        ] {
            let answer = try shell.picket.run(words)
            #expect(
                answer.status == 0 && answer.output.contains("matches --matching zzz") && !answer.output.contains("Create one"))
            #expect(try shell.picket.run(words + ["--json"]).output.isEmpty)
        }
        #expect(
            try output("device", "list", "--group", "family").contains(
                "No device in \(shell.picket.data) matches --group family."))
        #expect(try output("status", "--geofence", "home") == "No device is there.\n")
        #expect(try output("status", "--group", "family") == "No device matches --group family.\n")
        #expect(try output("geofence", "overlaps", "home") == "No other geofence touches 'home'.\n")
        #expect(try output("fix-registration", "--history") == "No repairs yet.\n")
        #expect(try output("health", "--history", "--device", "phone") == "No recorded health matches --device phone.\n")
        #expect(try output("events", "--device", "phone") == "No events that match.\n")
    }

    @Test("The status says what phones need first, and that a device has sent no usable position")
    func status() throws {
        let shell = try Shell()
        try shell.picket.createStore()
        #expect(try shell.picket.run("status").output.contains("For phones with OwnTracks or the Traccar client:  picket serve"))
        try shell.picket.run("device", "add", "phone")
        let answer = try shell.picket.run("status").output
        #expect(answer.contains("phone  no usable position yet") && !answer.contains("picket serve"))
    }
}
