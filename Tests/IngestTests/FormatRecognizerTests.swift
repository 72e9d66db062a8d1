import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Format recognizer")
struct FormatRecognizerTests {
    @Test(
        "The content determines the format",
        arguments: [
            ("<?xml version=\"1.0\"?><gpx/>", .gpx), ("\u{FEFF}  \n<gpx/>", .gpx), ("<!-- a --><k:kml xmlns:k=\"k\"/>", .kml),
            ("device,time,lat,lon\n", .csv),
            ("lat;lon;zeit", .csv), ("a\tb\tc\n", .csv), ("# made by hand\n\nlat,lon,time\n", .csv),
            ("$GPRMC,1,2*00\n", .nmea), ("# log\n*** start ***\n$GPGGA,1,2*00\n", .nmea),
            ("{\"type\":\"FeatureCollection\",\"features\":[]}", .geoJSON), ("{\"features\":[", .geoJSON),
            ("{\"name\":\"x\",\"geometry\":{\"type\":\"Point\"}}", .geoJSON),
            ("{\"properties\":{\"type\":\"Feature\"},\"type\":\"Feature\"}", .geoJSON),
            ("{\"device\":\"type\",\"kind\":\"Feature\"}\n{\"a\":1}", .ndjson), ("{\"a\":1}\n{\"a\":1}\n", .ndjson),
            ("{\"a\":1}", .json),
            ("{\n\"a\":1\n}", .json), ("[{\"a\":1}]", .json), ("[]", .json),
            ("{\"_type\":\"location\"}\n{\"_type\":\"location\"}", .ndjson),
            ("2026-05-01T10:00:00Z\t*                 \t{\"_type\":\"location\"}\n", .ownTracksRec),
        ] as [(String, FixFormat)])
    func formats(text: String, format: FixFormat) {
        for chunks in [nil, [1], [5]] {
            #expect(decode(text, chunks: chunks).format == format)
        }
    }

    @Test("A long preface gives the same result in one chunk as in many")
    func longPreface() {
        for length in [FormatRecognizer.maxBytes - 30, FormatRecognizer.maxBytes - 8, FormatRecognizer.maxBytes + 30] {
            let text = String(repeating: "words without meaning\n", count: length / 22) + "\n\n\n\ndevice,time,lat,lon\na,1,2,3\n"
            let whole = decode(text)
            for chunks in [[1000], [7]] { #expect(decode(text, chunks: chunks) == whole) }
        }
    }

    @Test(
        "An unsupported format is refused by its name",
        arguments: [
            ([], "empty"), (Array(" \n\n".utf8), "empty"), ([0x50, 0x4B, 3, 4] + Array(repeating: 0, count: 30), "ZIP"),
            ([0x1F, 0x8B, 8, 0] + Array(repeating: 1, count: 30), "gzip"),
            ([14, 16, 0x79, 8, 1, 0, 0, 0] + Array(".FIT1234567".utf8), "FIT"), (Array("BZh91AY&SY1234567".utf8), "bzip2"),
            (Array("SQLite format 3\u{0}xxxxx".utf8), "SQLite"), (Array("<!DOCTYPE html><html></html>".utf8), "web page"),
            (Array("%PDF-1.4 xxxxxxxxxxxx".utf8), "PDF"), ([0x89] + Array("PNG\r\n\u{1A}\n0123456789".utf8), "picture"),
            ([1, 2, 3, 4] + Array(repeating: 9, count: 30), "not text"), (Array("Dear all\nhow are you?\n".utf8), "text without"),
            ([0xFF, 0xFE] + Array("l\u{0}a\u{0}t\u{0},\u{0}l\u{0}o\u{0}n\u{0}".utf8), "UTF-16"),
        ] as [([UInt8], String)])
    func unsupported(bytes: [UInt8], name: String) {
        for chunks in [nil, [1], [5]] {
            guard case .unsupportedFormat("track.csv", let found, let supported)? = decode(bytes, chunks: chunks).problem else {
                Issue.record("\(name) was not recognized")
                return
            }
            #expect(found.description.contains(name))
            #expect(supported.description == "GPX, KML, KMZ, TCX, CSV, GeoJSON, NMEA 0183, NDJSON, JSON or OwnTracks .rec")
        }
    }
}
