import Foundation

/// The emergency telephone numbers by country. The country is that of a time zone.
///
/// Without other data, the number is 112, which every mobile phone recognizes as an emergency number (ETSI TS 122 101, section 10.1).
package struct EmergencyNumbers: Sendable {
    /// The number that a person has configured for all devices; nil to use the numbers of the country.
    private let override: String?
    /// The name of the service's time zone.
    private let zone: String?
    /// Returns the country of each time zone (ISO 3166), by the zone's name.
    private let countries: @Sendable () -> [String: Substring]

    private static let defaultNumber = "112"
    /// From the list that comes with the system's time zones (zone.tab of the IANA database). Read on first use.
    private static let systemCountries = readCountries("/usr/share/zoneinfo/zone.tab")

    /// - Parameters:
    ///   - override: The number for all devices; nil to use the numbers of the country.
    ///   - zone: The name of the service's time zone, for devices without their own.
    ///   - path: The path of the list of time zones; nil for that of the system.
    package init(override: String? = nil, zone: String? = nil, zoneTable path: String? = nil) {
        self.override = override
        self.zone = zone
        countries = { path.map(Self.readCountries) ?? Self.systemCountries }
    }

    /// The number, or several separated by commas.
    ///
    /// - Parameter zone: The name of the device's own time zone; nil if it has none.
    package func numbers(inZone zone: String?) -> String {
        if let override { return override }
        let countries = self.countries()
        guard let country = zone.flatMap({ countries[$0] }) ?? self.zone.flatMap({ countries[$0] }) else {
            return Self.defaultNumber
        }
        return Self.numbers[country] ?? Self.defaultNumber
    }

    /// A line of the list has a country, coordinates, a zone and comments, separated by tabs. Empty if there is no list.
    private static func readCountries(_ path: String) -> [String: Substring] {
        guard let data = FileManager.default.contents(atPath: path) else { return [:] }
        let rows = String(decoding: data, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t") }
        return Dictionary(rows.filter { $0.count > 2 }.map { (String($0[2]), $0[0]) }) { first, _ in first }
    }

    // MARK: - Numbers

    /// The numbers other than 112 by country.
    private static let numbers: [Substring: String] = {
        var found: [Substring: String] = [:]
        for line in table.split(separator: "\n") {
            let parts = line.split(separator: ":")
            for country in parts[1].split(separator: " ") { found[country] = String(parts[0]) }
        }
        return found
    }()

    /// One line for each set of numbers, with the countries where it applies. The numbers are those of libphonenumber's metadata of short
    /// numbers: of the numbers that match a country's pattern for emergencies, 911 if it matches, otherwise 112, otherwise 999, otherwise
    /// the first three matches.
    private static let table = """
        000, 110, 111: PG
        01, 02, 03: TM UZ
        100, 101, 102: MN PS
        100, 102, 119: AF
        100, 104, 115: IQ
        101, 102, 103: AM KG
        10111: NA
        102, 118, 119: MV
        104, 105, 106: CU
        105, 116, 117: PE
        110, 111, 170: CI
        110, 118, 119: BO
        110, 119: JP
        110, 119, 120: CN
        110, 120, 123: GT
        111: NZ
        113, 114, 115: VN
        113, 114, 118: CD
        113, 115, 118: SM
        113, 117, 118: GW
        114, 118: HT
        115: SR
        115, 118, 120: NI
        117, 118: CG
        117, 118, 119: KH
        117, 118, 1220: CF
        117, 118, 171: TG
        117, 119, 197: MZ
        122, 123, 124: BA
        122, 123, 180: EG
        13, 17, 113: CM
        130, 131, 132: CV
        1444, 9999: OM
        15, 16, 17: NC
        15, 17, 18: GF GP MF ML NE PF PM WF
        15, 19, 177: EH MA
        16, 17, 18: GM
        17, 18: BF DJ KM MR SN TD
        17, 18, 117: MG
        18: BL
        18, 1300, 1301: GA
        190, 191, 193: LY
        190, 191, 195: LA
        190, 197, 198: TN
        191, 194, 195: YE
        191, 199, 1669: TH
        192, 193, 194: KI
        199: HN MM NG
        911: AC AG AI AR AS AW BB BM BQ BR BS BW BZ CA CL CR CW DM DO EC ET FJ FM GD GU GY IR JM JO KN KY LC LR MH MP MS MX NF NL PA PH PR PW PY SA SH SV TC TO TV US UY VC VE VG VI WS
        919: SX
        991, 993, 995: BN
        999: BD BH CK FK GH IM MO MU MW NU QA SB SC SD SG SL SO SS SZ TT UG
        """
}
