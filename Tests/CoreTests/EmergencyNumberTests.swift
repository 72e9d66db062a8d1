import TestSupport
import Testing

@testable import Core

@Suite("Emergency numbers")
struct EmergencyNumberTests {
    @Test(
        "The emergency numbers are those of the country of the service's time zone",
        arguments: [
            ("Europe/Berlin", "112"), ("Europe/Istanbul", "112"), ("America/Chicago", "911"), ("America/Regina", "911"),
            ("America/Mexico_City", "911"), ("Pacific/Auckland", "111"), ("Asia/Shanghai", "110, 119, 120"),
            ("America/Lima", "105, 116, 117"), ("Africa/Kampala", "999"), ("Pacific/Fiji", "911"), ("UTC", "112"),
            ("Etc/GMT+3", "112"), ("Nowhere", "112"),
        ])
    func country(zone: String, numbers: String) {
        #expect(EmergencyNumbers(zone: zone).numbers(inZone: nil) == numbers)
    }

    @Test("The time zone of the device goes before that of the service")
    func device() {
        let numbers = EmergencyNumbers(zone: "Europe/Berlin")
        #expect(numbers.numbers(inZone: "Pacific/Auckland") == "111")
        #expect(numbers.numbers(inZone: "Europe/Berlin") == "112")
        #expect(EmergencyNumbers(zone: "Pacific/Auckland").numbers(inZone: "UTC") == "111", "UTC is in no country")
    }

    @Test("Without a time zone or the system's list of them, the number is 112")
    func unknown() throws {
        #expect(EmergencyNumbers().numbers(inZone: nil) == "112")
        #expect(EmergencyNumbers(zone: "America/Chicago", zoneTable: "/none").numbers(inZone: nil) == "112")
        let folder = try TemporaryDirectory()
        let table = try folder.write("# comment\nNZ\t-3652+17446\tPacific/Auckland\nbroken\n", to: "zone.tab")
        let numbers = EmergencyNumbers(zone: "America/Chicago", zoneTable: table)
        #expect(numbers.numbers(inZone: nil) == "112" && numbers.numbers(inZone: "Pacific/Auckland") == "111")
    }

    @Test("A number that a person has set is used everywhere")
    func override() {
        let numbers = EmergencyNumbers(override: "+49 30 1234", zone: "America/Chicago")
        #expect(numbers.numbers(inZone: nil) == "+49 30 1234" && numbers.numbers(inZone: "Pacific/Auckland") == "+49 30 1234")
    }
}
