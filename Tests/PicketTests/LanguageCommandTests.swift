import Foundation
import Model
import TestSupport
import Testing

@Suite("Languages of the command line")
struct LanguageCommandTests {
    @Test("A catalog beside an installed program is a language of commands and problems")
    func installed() throws {
        let folder = try TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        var picket = try PseudoLanguage.installed(in: folder)

        try picket.run("device", "add", "mia")
        let none = try picket.run("problems", "--language", PseudoLanguage.tag)
        #expect(none.lines == [PseudoLanguage.accented("No open problems.")])
        let unknown = try picket.run("device", "show", "mai", "--language", PseudoLanguage.tag)
        let (title, rest) = (PseudoLanguage.accented("No such device"), PseudoLanguage.accented("There is no device"))
        #expect(unknown.status != 0 && unknown.errors.hasPrefix("\(title): \(rest) 'mai'. "))
        picket.environment["LANG"] = "en_XA.UTF-8"
        let json = try JSONParser.parse(picket.run("device", "show", "mai", "--json").errors)
        #expect(json["problem"]?["title"]?.string == title)
        // The installation has no other language.
        picket.environment["LANG"] = "tr_TR.UTF-8"
        #expect(try picket.run("problems").lines == ["No open problems."])
        let refused = try picket.run("problems", "--language", "tr")
        #expect(refused.status == 2 && refused.errors.contains(PseudoLanguage.tag))
    }

    /// Commands on one data directory, in order. After `#` are the words of each output that are the same in every language, besides
    /// `names`.
    private static let commands = """
        compact # kB
        rule list
        visits
        alarm list
        geofence overlaps
        token list
        device waiting
        geofence add --id home --name Home --circle 52.5,13.4,200 --dwell 10m --priority 3 --groups kids --policy exact
        geofence add --id yard --name Yard --circle 52.5,13.401,200 --inactive
        geofence list
        geofence edit yard --active
        device add mia --groups kids --platform ios --input-timezone Europe/Berlin --silent-after 2h
        device add ben --platform ios --registry app --auto-repair on
        feed FOLDER/ride.csv
        feed FOLDER/alarm.ndjson # sos
        group edit kids --keep-positions 30000d --quiet-hours 22:00-06:00
        group list
        device list # app balanced
        device show mia # balanced
        device show ben # app balanced
        geofence show home # base exact
        geofence overlaps
        geofence export FOLDER/places.geojson # places geojson
        geofence import FOLDER/places.geojson # places geojson
        status --device mia
        visits
        visits --totals
        visits --min-duration 100d
        alarm list # sos
        rule add --id r1 --device mia --geofence home --enters-by 08:15 --from 06:00 --min-duration 5m --days mon-fri \
        --except 2026-12-24 --timezone Europe/Berlin
        rule add --id r2 --group kids --geofence home --stays-at-most 2h --inactive
        rule add --id r3 --device mia --geofence home --stays-until 13:00 --timezone UTC
        rule list
        rule show r1
        rule remove r3
        registry location off --device mia
        registry authorize denied --device mia # denied
        registry set precise off --device mia # precise off
        registry add-orphan old 52.5163,13.3777,100 --device mia # old
        registry add-foreign com.ads/42 52.5163,13.3777,500 --device mia # com ads
        registry show --device mia # com ads old denied
        registry drop --device mia # old
        registry drop 0 --device mia
        registry reboot --device mia
        registry fail noAnswer --device mia # noAnswer
        registry fail update --device mia # update
        sink add file FOLDER/out.ndjson --id log # file log out ndjson
        sink list # file log out ndjson
        sink show log # file log out ndjson forever path emergency true language en XA timeZone
        sink pause log # log
        replay
        replay --geofence home
        device positions remove mia --since 2026-05-01T10:41:00Z --dry-run
        device export mia FOLDER/mia.ndjson # ndjson
        device refuse jane # jane
        device waiting # jane
        device readmit jane # jane
        compact # kB
        coverage FOLDER/ride.csv --geofences FOLDER/places.geojson --plot FOLDER/plot.svg # plot svg
        problems report --output FOLDER/mia.txt # txt kB
        backup FOLDER/mia.backup # backup kB
        device erase mia --yes
        geofence remove home
        """

    /// Ids, names and values that are the same in every language.
    private static let names: Set = [
        "mia", "ben", "home", "Home", "yard", "Yard", "kids", "Europe", "Berlin", "UTC", "ios", "iOS", "mon", "fri", "sun",
    ]

    @Test("The commands print no English words in another language")
    func noEnglish() throws {
        let folder = try TemporaryDirectory()
        let picket = try PseudoLanguage.installed(in: folder)
        _ = try folder.write(
            """
            device,timestamp,latitude,longitude,accuracy
            mia,2026-05-01T10:00:00Z,52.5,13.4,5
            mia,2026-05-01T10:01:00Z,52.5,13.4,5
            mia,2026-05-01T10:30:00Z,52.5,13.4,5
            mia,2026-05-01T10:31:00Z,52.6,13.4,5
            mia,2026-05-01T10:32:00Z,52.6,13.4,5
            mia,2026-05-01T10:40:00Z,52.5,13.4,5
            mia,2026-05-01T10:41:00Z,52.5,13.4,5

            """, to: "ride.csv")
        _ = try folder.write(
            #"{"device":"mia","timestamp":"2026-05-01T10:42:00Z","latitude":52.5,"longitude":13.4,"alarm":"sos"}"#,
            to: "alarm.ndjson")
        for command in Self.commands.split(separator: "\n") {
            let parts = command.split(separator: " # ").map { $0.split(separator: " ") }
            let arguments = parts[0].map { String($0).replacing("FOLDER", with: folder.path) }
            let result = try picket.run(arguments + ["--language", PseudoLanguage.tag])
            #expect(result.status == 0, "\(command): \(result.errors)")
            let known = Self.names.union(parts.dropFirst().joined().map(String.init))
            let english = Self.englishWords(of: result.output + result.errors, in: folder).subtracting(known)
            #expect(english.isEmpty, "\(command): \(result.output)\(result.errors)")
        }
    }

    /// The words of two or more letters without an accent, apart from paths in a folder, and from commands at the end of a line.
    private static func englishWords(of text: String, in folder: TemporaryDirectory) -> Set<String> {
        let places = text.replacing(folder.path + "/data", with: "").replacing(folder.path, with: "")
        let words = places.split(separator: "\n").flatMap { line -> [String] in
            let end = line.firstRange(of: "picket ")?.lowerBound ?? line.endIndex
            return line[..<end].split { !$0.isLetter }.map(String.init)
        }
        return Set(words.filter { $0.count > 1 && $0.allSatisfy(\.isASCII) })
    }
}
