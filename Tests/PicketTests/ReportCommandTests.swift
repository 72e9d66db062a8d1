import Foundation
import Model
import TestSupport
import Testing

@Suite("Report command")
struct ReportCommandTests {
    private let directory: TemporaryDirectory
    private let picket: Program
    private static let may = ["report", "--by", "geofence", "--period", "month", "--since", "2026-05", "--until", "2026-05"]

    init() throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
        try picket.run("geofence", "add", "--id", "home", "--name", "+Home & <b>", "--circle", "52.5,13.4,100")
        let rows = [("10:00", 52.5), ("11:00", 52.5), ("12:00", 52.6)].map { "anna,2026-05-01T\($0.0):00Z,\($0.1),13.4\n" }
        let file = try directory.write("device,timestamp,latitude,longitude\n" + rows.joined(), to: "positions.csv")
        #expect(try picket.run("feed", file, "--policy", "exact", "--quiet").status == 0)
    }

    @Test("The formats say the same, and names are made safe in each of them")
    func formats() throws {
        func report(_ more: String...) throws -> Program.Result { try picket.run(Self.may + more) }
        let text = try report("--timezone", "Europe/Berlin").lines
        #expect(text.count == 2 && text[0].hasPrefix("MONTH    GEOFENCE"), "\(text)")
        #expect(text[1].contains("2026-05-01 12:00:00 +02:00  2026-05-01 14:00:00 +02:00") && text[1].contains("1 h"), "\(text)")
        let csv = try report("--format", "csv").lines
        #expect(
            csv.last?.hasSuffix(",home,'+Home & <b>,3600,1,1:00,1,2026-05-01T10:00:00.000Z,2026-05-01T12:00:00.000Z") == true,
            "\(csv)")
        let json = try JSONParser.parse(try report("--json").output)
        #expect(json["rows"]?.array?.first?["seenSeconds"]?.double == 3600)
        #expect(try report("--format", "json").output == report("--json").output)
        let html = try report("--format", "html", "--language", "tr").output
        #expect(html.contains("+Home &amp; &lt;b&gt;") && html.contains("<html lang=\"tr\">") && !html.contains("<b>"))
        #expect(try report("--geofence", "home", "--device", "anna").lines.count == 2)
        let pairs = try picket.run(Self.may.map { $0 == "geofence" ? "geofence,device" : $0 } + ["--geofence", "home"]).lines
        #expect(pairs.count == 2 && pairs[0].hasPrefix("MONTH    GEOFENCE     DEVICE  VISITS"), "\(pairs)")
        #expect(try report("--not-geofence", "home").lines == ["No visits or positions match."])
        #expect(try picket.run("visits", "--not-geofence", "home").lines == ["No visits that match."])
        #expect(try picket.run("visits", "--geofence", "home", "--geofence", "home").lines.count == 2)
        let none = try picket.run("report", "--by", "device", "--period", "day", "--since", "2025-01", "--until", "2025-01")
        #expect(none.status == 0 && none.lines == ["No visits or positions match."])
    }

    @Test("Visits and reports leave out shorter visits, and say how many, in each format")
    func minimum() throws {
        let words = "1 visit in which the device was seen for less than 2 h is left out."
        for (command, empty) in [
            (["visits"], "No visits that match."), (["visits", "--totals"], "No visits that match."),
            (Self.may, "No visits or positions match."),
        ] {
            let all = try picket.run(command)
            #expect(try picket.run(command + ["--min-duration", "1h"]).output == all.output)
            #expect(try picket.run(command + ["--min-duration", "2h"]).lines == [empty, words])
            let csv = try picket.run(command + ["--min-duration", "2h", "--format", "csv"])
            #expect(csv.lines.count == 1 && csv.errors == words + "\n", "\(csv)")
        }
        for command in [["visits"], ["visits", "--totals"]] {
            let json = try picket.run(command + ["--min-duration", "2h", "--json"])
            #expect(json.lines == [#"{"summary":{"omittedVisits":1}}"#])
        }
        let report = try JSONParser.parse(try picket.run(Self.may + ["--min-duration", "2h", "--json"]).output)
        #expect(report["omittedVisits"]?.double == 1 && report["rows"]?.array == [])
    }

    @Test("A report goes to a file that only its owner can read")
    func file() throws {
        let path = directory.path + "/may.html"
        let answer = try picket.run(Self.may + ["--format", "html", "--output", path])
        #expect(answer.status == 0 && answer.output.hasPrefix(path), "\(answer)")
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("<!doctype html>"))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "The call of the report for support is answered with its new name",
        arguments: [[], ["--json"], ["--output", "report.txt"]])
    func oldName(_ arguments: [String]) throws {
        for (language, word) in [("en", "problems report"), ("tr", "problems report")] {
            let answer = try picket.run(["report"] + arguments + ["--language", language])
            #expect(answer.status == 2 && answer.errors.contains(word) && answer.errors.contains("--by"), "\(answer.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: "report.txt"))
    }

    @Test("Events, visits, totals and the status are printed as CSV, with the same columns as over HTTP")
    func tables() throws {
        let events = try picket.run("events", "--format", "csv").lines
        #expect(
            events[0].hasPrefix("sequence,id,type,") && events.count == 3 && events[1].contains(",'+Home & <b>,"), "\(events)")
        let visits = try picket.run("visits", "--format", "csv").lines
        #expect(
            visits[0].hasPrefix("deviceId,geofenceId,") && visits[1].hasPrefix("anna,home,'+Home & <b>,2026-05-01T10:00:00.000Z,")
        )
        let totals = try picket.run("visits", "--totals", "--format", "csv").lines
        #expect(totals.last == "anna,home,'+Home & <b>,1,3600,1,1:00,7200", "\(totals)")
        let status = try picket.run("status", "--format", "csv").lines
        #expect(status.last?.hasPrefix("anna,,,,,2026-05-01T12:00:00.000Z,52.6,13.4,") == true, "\(status)")
        #expect(try picket.run("events", "--format", "json").output == picket.run("events", "--json").output)
        #expect(try picket.run("events", "--format", "xml").status == 2)
        #expect(try picket.run("events", "--format", "html").status == 2)
    }

    @Test("Events, visits, the status and reports have local times in CSV, and the form of a locale for a spreadsheet")
    func localTables() throws {
        let berlin = ["--timezone", "Europe/Berlin"]
        let local = try picket.run(["visits", "--format", "csv"] + berlin).lines
        #expect(local[1].contains(",2026-05-01T12:00:00.000+02:00,2026-05-01T14:00:00.000+02:00,7200,"), "\(local)")
        #expect(try picket.run(["events", "--format", "csv"] + berlin).lines[1].contains(",2026-05-01T12:00:00.000+02:00,"))
        for (locale, row) in [
            ("de", "52,5;13,4;"), ("tr", "52,5;13,4;"), ("en", "52.5,13.4,"), ("de-CH", "52.5;13.4;"),
        ] {
            let events = try picket.run(["events", "--csv-for", locale, "--type", "enter"] + berlin)
            #expect(events.output.hasPrefix("\u{FEFF}sequence\(locale == "en" ? "," : ";")id"), "\(events.output)")
            #expect(events.output.contains(row) && events.output.contains("2026-05-01 12:00:00"), "\(events.output)")
        }
        let report = try picket.run(Self.may + ["--csv-for", "de", "--format", "csv"] + berlin).lines
        #expect(
            report.last
                == "2026-05;2026-05-01 00:00:00;2026-06-01 00:00:00;home;'+Home & <b>;3600;1;1:00;1;2026-05-01 12:00:00;2026-05-01 14:00:00",
            "\(report)")
        let status = try picket.run(["status", "--csv-for", "de"] + berlin).lines
        #expect(status.last?.hasPrefix("anna;;;;;2026-05-01 14:00:00;52,6;13,4;") == true, "\(status)")
        for wrong in [["--csv-for", "xx"], ["--csv-for", "de", "--json"], ["--csv-for", "de", "--format", "text"]] {
            #expect(try picket.run(["visits"] + wrong).status == 2)
        }
    }

    @Test(
        "A workbook has numbers and local times as such, a bold heading that stays, and names that are no formulas",
        .enabled("python3 is not installed") { Tool("python3") != nil })
    func workbook() throws {
        let program = """
            import datetime, sys, zipfile, xml.etree.ElementTree as xml
            book = zipfile.ZipFile(sys.argv[1])
            space = '{http://schemas.openxmlformats.org/spreadsheetml/2006/main}'
            strings = [''.join(t.text or '' for t in s.iter(space + 't')) for s in xml.fromstring(book.read('xl/sharedStrings.xml'))] \\
                if 'xl/sharedStrings.xml' in book.namelist() else []
            styles = xml.fromstring(book.read('xl/styles.xml'))
            formats = {f.get('numFmtId'): f.get('formatCode') for f in styles.iter(space + 'numFmt')}
            fonts = [font.find(space + 'b') is not None for font in styles.find(space + 'fonts')]
            cell_styles = [(formats.get(x.get('numFmtId'), ''), fonts[int(x.get('fontId'))]) for x in styles.find(space + 'cellXfs')]
            sheet = xml.fromstring(book.read('xl/worksheets/sheet1.xml'))
            print(next(sheet.iter(space + 'pane')).attrib['state'], next(sheet.iter(space + 'pane')).attrib['ySplit'])
            print(len(list(sheet.iter(space + 'f'))), all(float(c.get('width')) > 5 for c in sheet.iter(space + 'col')))
            for row in sheet.iter(space + 'row'):
                cells = []
                for cell in row:
                    kind, (format, bold) = cell.get('t'), cell_styles[int(cell.get('s', 0))]
                    value = cell.find(space + 'v')
                    if kind == 'inlineStr': text = ''.join(t.text or '' for t in cell.iter(space + 't'))
                    elif kind == 's': text = strings[int(value.text)]
                    elif kind == 'b': text = 'flag ' + value.text
                    elif format.startswith('yyyy'):
                        time = datetime.datetime(1899, 12, 30) + datetime.timedelta(days=float(value.text))
                        text = 'time ' + (time + datetime.timedelta(microseconds=500000)).strftime('%Y-%m-%d %H:%M:%S')
                    elif format == '[h]:mm': text = 'hours %.3f' % (float(value.text) * 24)
                    else: text = 'number %g' % float(value.text)
                    cells.append('*' + text if bold else text)
                print('|'.join(cells))
            """
        let python = try #require(Tool("python3"))
        func lines(_ arguments: [String]) throws -> [String] {
            let path = directory.path + "/table.xlsx"
            let answer = try picket.run(arguments + ["--xlsx", path, "--timezone", "Europe/Berlin"])
            #expect(answer.status == 0 && answer.output.hasPrefix("\(path): "), "\(answer)")
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
            let read = try python.run(["-c", program, path])
            #expect(read.status == 0, "\(read.output)")
            return read.output.split(separator: "\n").map(String.init)
        }
        let report = try lines(Self.may.map { $0 == "geofence" ? "device,geofence" : $0 })
        #expect(report.prefix(2) == ["frozen 1", "0 True"], "\(report)")
        #expect(report[2].hasPrefix("*period|*from|*to|*deviceId|*geofenceId|*geofenceName|*seenSeconds|*hours|"), "\(report)")
        #expect(
            report.last == "2026-05|time 2026-05-01 00:00:00|time 2026-06-01 00:00:00|anna|home|+Home & <b>|number 3600|number 1|"
                + "hours 1.000|number 1|time 2026-05-01 12:00:00|time 2026-05-01 14:00:00", "\(report)")
        let visits = try lines(["visits"])
        #expect(visits.count == 4 && visits[3].hasPrefix("anna|home|+Home & <b>|time 2026-05-01 12:00:00|"), "\(visits)")
        #expect(visits[3].hasSuffix("|flag 0") && visits[3].contains("|hours 1.000|"))
        #expect(
            try lines(["visits", "--totals"]).last
                == "anna|home|+Home & <b>|number 1|number 3600|number 1|hours 1.000|number 7200")
        let events = try lines(["events", "--type", "enter"])
        #expect(events.last?.contains("|enter|anna|home|+Home & <b>|time 2026-05-01 12:00:00|") == true, "\(events)")
        let status = try lines(["status"]).last
        #expect(status == "anna|time 2026-05-01 14:00:00|number 52.6|number 13.4", "\(status ?? "")")
        #expect(try lines(["visits", "--device", "anna", "--since", "2027-01"]).count == 3)
        for wrong in [["--json"], ["--format", "csv"], ["--csv-for", "de"]] {
            #expect(try picket.run(["visits", "--xlsx", directory.path + "/wrong.xlsx"] + wrong).status == 2)
        }
        let nowhere = try picket.run("visits", "--xlsx", directory.path + "/missing/table.xlsx")
        #expect(nowhere.status == 3 && nowhere.errors.contains("table.xlsx"), "\(nowhere)")
    }

    @Test(
        "Spreadsheets' readers find the values in the CSV of a locale",
        .enabled("python3 is not installed") { Tool("python3") != nil })
    func readTables() throws {
        let path = directory.path + "/visits.csv"
        let program = """
            import csv, sys, datetime
            with open(sys.argv[1], encoding='utf-8-sig', newline='') as file:
                row = list(csv.DictReader(file, delimiter=';'))[0]
            print(row['deviceId'], float(row['hours'].replace(',', '.')), float(row['duration']),
                datetime.datetime.strptime(row['enteredAt'], '%Y-%m-%d %H:%M:%S').isoformat(), row['hoursAndMinutes'])
            """
        let text = try picket.run("visits", "--csv-for", "de", "--timezone", "Asia/Tokyo").output
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let answer = try #require(Tool("python3")).run(["-c", program, path])
        #expect(answer.output == "anna 1.0 7200.0 2026-05-01T19:00:00 1:00\n", "\(answer)")
    }
}
