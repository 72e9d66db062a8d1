import TestSupport

@testable import Ingest

/// Creates damaged inputs for every decoder.
enum FuzzCorpus {
    /// The functions that accept bytes from outside.
    enum Target: String, CaseIterable {
        case recognized, csv, gpx, kml, kmz, geoJSON, nmea, json, ndjson, ownTracksRec, plainPosition, osmAndQuery, osmAndBody,
            ownTracks,
            form
        case exports, batches, tcx, gzip
        case geofences, value, time, number

        /// The targets of exports and apps that nest positions, and of compressed input.
        static let nested: [Target] = [.exports, .batches, .osmAndBody, .tcx, .gzip]
    }

    static let seeds: [Target: [[UInt8]]] = {
        let csv = [
            "device,timestamp,latitude,longitude,accuracy,note\na,2026-05-01T10:00:00Z,52.5,13.4,5,\"x,\"\"y\"\"\nz\"\n"
                + "b,1777629600,1,2,,\n",
            "Date;Time;Lat;Lon;Batt;HDOP\n2026/05/01;10:00:00;-1.5;179.9;80;1\n",
            "deviceId;fixTime;deviceTime;lat;lon;speed\n1;1777629600,5;2;52,5163;13,3777;10,5\n",
        ]
        let gpx = [
            "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><ele>3</ele>"
                + "<time>2026-05-01T10:00:00Z</time><hdop>1.5</hdop><extensions><a:b c=\"d\">7</a:b><hAcc>4</hAcc></extensions></trkpt>"
                + "<trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>",
            "<gpx><!-- c --><![CDATA[x]]><wpt lat='1' lon='2'><name>&lt;&#65;</name></wpt><rte><rtept lat='1' lon='2'/></rte></gpx>",
            "<!DOCTYPE gpx [<!ENTITY a \"b\">]><gpx>&a;</gpx>",
        ]
        let kml: [String] = [
            KMZSamples.kml,
            "<kml><Placemark><TimeStamp><when>2026-05-01T10:00:00Z</when></TimeStamp><ExtendedData><Data name=\"radius\"><value>5</value></Data>"
                + "</ExtendedData><Point><coordinates>1,2,3</coordinates></Point></Placemark><Placemark><name>A</name><MultiGeometry><Polygon>"
                + "<outerBoundaryIs><LinearRing><coordinates>0,0 1,0 1,1 0,0</coordinates></LinearRing></outerBoundaryIs><innerBoundaryIs>"
                + "<LinearRing><coordinates>0.2,0.1 0.3,0.1 0.3,0.2</coordinates></LinearRing></innerBoundaryIs></Polygon><LineString>"
                + "<coordinates>1,2 3,4</coordinates></LineString></MultiGeometry></Placemark></kml>",
        ]
        let nmea = [
            "# log\n$GPGGA,132820.60,4134.49821229,N,09345.03351845,W,2,09,1.0,278.020,M,-31.442,M,7.6,0133*7E\n"
                + "$GPRMC,132820.60,A,4134.49821229,N,09345.03351845,W,3.252,92.308,180320,11.5985,E,D*1A\r\n"
        ]
        let geoJSON = [
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":"
                + "[[1,2],[3,4]]},\"properties\":{\"coordTimes\":[1,\"2026-05-01T10:00:00Z\"]}},{\"type\":\"Feature\",\"geometry\":"
                + "{\"type\":\"Point\",\"coordinates\":[5,6]},\"properties\":{\"time\":1,\"radius\":5}}],\"crs\":null}",
            "{\"type\":\"Feature\",\"properties\":{\"coordTimes\":[[1],[2,3]]},\"geometry\":{\"type\":\"MultiLineString\","
                + "\"coordinates\":[[[1,2]],[[3,4],[5,6]]]}}",
        ]
        let fences: [String] = [
            "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":{\"type\":\"Polygon\","
                + "\"coordinates\":[[[0,0],[1,0],[1,1],[0,0]],[[0.2,0.1],[0.3,0.1],[0.3,0.2],[0.2,0.1]]]},\"properties\":{\"name\":\"A\","
                + "\"active\":true,\"dwell\":60,\"triggers\":[\"enter\"]}},{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\","
                + "\"coordinates\":[5,6]},\"properties\":{\"name\":\"B\",\"radius\":50}}]}",
            "id,name,latitude,longitude,radius,active,priority,devices\na,A,1,2,100,yes,5,x;y\n,B,1,2,100,,,\n",
            "[{\"id\":7,\"name\":\"D\",\"area\":\"CIRCLE (1 2, 3)\",\"attributes\":{}},{\"area\":\"POLYGON ((1 2, 1 3, 2 3))\"}]",
            "CIRCLE (1 2, 3)\nPOLYGON((1 2, 1 3, 2 3),(1 2, 3 4, 5 6))\nLINESTRING (1 2, 3 4)",
            "SRID=4326;MULTIPOLYGON Z (((1 2 0, 1 3 0, 2 3 0, 1 2 0)),((5 5 1, 6 5 1, 6 6 1, 5 5 1)))\nPOINT ZM (1 2 3 4)",
            "WKT,name,description\n\"POLYGON ((13.3 52.5, 13.4 52.5, 13.4 52.6, 13.3 52.5))\",Hof,\n\"POINT (13.4 52.5)\",Kita,x\n",
            "0103000020E6100000010000000400000000000000000000000000000000000000",
            "<gpx><wpt lat='1' lon='2'><name>A</name><desc>B</desc><extensions><Proximity>75</Proximity></extensions></wpt></gpx>",
            "{\"_type\":\"waypoints\",\"waypoints\":[{\"_type\":\"waypoint\",\"desc\":\"H\",\"lat\":1,\"lon\":2,\"rad\":9,\"rid\":\"a\"}]}",
        ]
        let samples = PositionScannerTests.samples
        let json = ["[\(samples.joined(separator: ",\n"))]", samples[0], "[]"]
        let recorded = [
            "2026-05-01T10:00:00Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629600,\"lat\":1,\"lon\":2,\"topic\":"
                + "\"owntracks/a/b\"}\n2026-05-01T10:00:01Z\tlwt               \t{\"_type\":\"lwt\",\"tst\":1}\n"
        ]
        let forms = [
            "id=123&lat=52.5&lon=13.4&timestamp=1777629600&accuracy=5&speed=9.7&bearing=90&altitude=34&batt=80&charge=true",
            "deviceid=a%20b&location=60.0,+30.0&timestamp=2026-05-01T10%3A00%3A00%2B02:00&hdop=6&cell=1,2&cell=3,4&valid=0",
            "id=1&notificationToken=x%3Ay", "id=1",
        ]
        let osmAnd =
            forms + [
                "{\"device_id\":\"123\",\"location\":{\"timestamp\":\"2026-05-01T10:00:00.000Z\",\"uuid\":\"5A0C\",\"coords\":{\"latitude\":52.5,"
                    + "\"longitude\":13.4,\"accuracy\":5,\"speed\":-1,\"heading\":90,\"altitude\":34},\"battery\":{\"level\":0.8,"
                    + "\"is_charging\":false},\"extras\":{}}}",
                "[{\"id\":\"1\",\"lat\":52.5,\"lon\":13.4,\"timestamp\":1777629600,\"speed\":10,\"batt\":81},{\"id\":2,\"location\":\"1,2\"}]",
                "{\"device_id\":\"d\",\"location\":[{\"coords\":{\"latitude\":1,\"longitude\":2}},{\"coords\":{}}]}",
            ]
        let exports: [String] = [
            "{\"semanticSegments\":[{\"startTime\":\"2026-05-01T12:00:00+02:00\",\"endTime\":\"2026-05-01T14:00:00+02:00\",\"timelinePath\":"
                + "[{\"point\":\"52.53°, 13.37°\",\"time\":\"2026-05-01T12:01:00+02:00\"}]},{\"startTime\":\"2026-05-01T10:00:00Z\",\"endTime\":"
                + "\"2026-05-01T11:00:00Z\",\"visit\":{\"hierarchyLevel\":0,\"topCandidate\":{\"placeLocation\":{\"latLng\":\"1°, 2°\"}}}}],"
                + "\"rawSignals\":[{\"position\":{\"LatLng\":\"1°, 2°\",\"accuracyMeters\":13,\"timestamp\":\"2026-05-01T10:00:00Z\"}},"
                + "{\"wifiScan\":{}}],\"userLocationProfile\":{}}",
            "[{\"startTime\":\"2026-05-01T10:00:00Z\",\"endTime\":\"2026-05-01T11:00:00Z\",\"timelinePath\":[{\"point\":\"geo:1,2\","
                + "\"durationMinutesOffsetFromStartTime\":\"1\"}]},{\"startTime\":\"2026-05-01T10:00:00Z\",\"endTime\":\"2026-05-01T11:00:00Z\","
                + "\"activity\":{\"start\":\"geo:1,2\",\"end\":\"geo:1,2;u=3\"}}]",
            "{\"locations\":[{\"timestampMs\":\"1555378518327\",\"latitudeE7\":525163000,\"longitudeE7\":3439967296,\"accuracy\":17,"
                + "\"activity\":[{}]},{\"timestamp\":\"2019-04-16T01:38:00Z\",\"accuracy\":17},{\"latitudeE7\":1,\"longitudeE7\":2,\"deviceTag\":"
                + "-5,\"timestamp\":\"2019-04-16T01:38:00Z\"}]}",
            "{\"latitudeE7\":1,\"longitudeE7\":2,\"timestampMs\":\"1555378518327\"}\n{\"latitudeE7\":1,\"longitudeE7\":2,\"timestampMs\":1}\n",
        ]
        let batches: [String] = [
            "{\"locations\":[{\"coords\":{\"latitude\":1,\"longitude\":2,\"accuracy\":-1},\"timestamp\":\"2026-05-01T10:00:00Z\"},{\"location\":"
                + "{\"coords\":{\"latitude\":1,\"longitude\":2,\"heading\":-1},\"timestamp\":1,\"battery\":{\"level\":0.5}}}],\"device_id\":\"d\"}",
            "{\"current\":{},\"locations\":[{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[13.4,52.5]},"
                + "\"properties\":{\"timestamp\":1,\"horizontal_accuracy\":-1,\"device_id\":\"d\",\"battery_level\":0.9}}],\"trip\":{}}",
            "[{\"coords\":{\"latitude\":1,\"longitude\":2},\"timestamp\":1,\"id\":\"a\"},{\"location\":{\"latitude\":1}},{\"a\":1}]",
        ]
        let tcx: [String] = [
            "<TrainingCenterDatabase><Activity><Lap><Track><Trackpoint><Time>2026-05-01T10:00:00Z</Time><Position><LatitudeDegrees>1"
                + "</LatitudeDegrees><LongitudeDegrees>2</LongitudeDegrees></Position><AltitudeMeters>3</AltitudeMeters><HeartRateBpm><Value>9"
                + "</Value></HeartRateBpm></Trackpoint><Trackpoint><Time/></Trackpoint></Track></Lap></Activity><Courses><Course>"
                + "<Trackpoint/></Course></Courses></TrainingCenterDatabase>"
        ]
        let ownTracks = [
            "{\"_type\":\"location\",\"tid\":\"ph\",\"lat\":48.85833,\"lon\":\"2.29513\",\"acc\":5.0,\"alt\":167,\"vac\":21,\"vel\":61,\"cog\":271,"
                + "\"batt\":67,\"tst\":1777629600,\"inregions\":[\"Home\"],\"topic\":\"owntracks/jane/phone\"}",
            "[{\"_type\":\"transition\",\"wtst\":1,\"tst\":1777629600,\"acc\":0,\"event\":\"enter\",\"topic\":\"owntracks/jane/phone/event\"},"
                + "{\"_type\":\"encrypted\",\"data\":\"AAAA\"},{\"_type\":\"waypoints\",\"waypoints\":[{\"_type\":\"waypoint\",\"tst\":1}]}]",
        ]
        let values = ["{\"a\\u00e4\\ud83d\\ude00\":[1,-2.5e+3,true,false,null,{\"\":\"\\\\\\\"\\/\\b\\f\\n\\r\\t\"}]}"]
        let texts: [Target: [String]] = [
            .csv: csv, .gpx: gpx, .kml: kml, .geoJSON: geoJSON, .nmea: nmea, .json: json,
            .ndjson: [samples.joined(separator: "\n")],
            .ownTracksRec: recorded, .plainPosition: samples, .osmAndQuery: forms, .osmAndBody: osmAnd + batches,
            .ownTracks: ownTracks,
            .form: forms, .geofences: fences + kml, .value: values + geoJSON + ownTracks,
            .time: ["2026-05-01T10:00:00.123456+02:00", "2026-02-29 23:59:60Z", "1777629600.5", "2147483647"],
            .number: ["-12.5e-3", "+0012.500", "123456789012345678901234567890", "1e400", ".5", "5."],
            .exports: exports, .batches: batches, .tcx: tcx,
            .recognized: csv + gpx + kml + geoJSON + nmea + json + recorded + fences + [samples.joined(separator: "\n")],
        ]
        var seeds = texts.mapValues { $0.map { Array($0.utf8) } }
        seeds[.gzip] = [csv[0], gpx[0] + gpx[0], exports[0]].map { GzipReaderTests.packed(Array($0.utf8)) }
        seeds[.kmz] = [KMZSamples.deflated, KMZSamples.stored, KMZSamples.streamed]
        return seeds
    }()

    /// Keywords of the formats, and numbers at limits.
    private static let words: [[UInt8]] = [
        "null", "true", "NaN", "Infinity", "-0", "1e308", "-1e308", "1e-400", "9223372036854775808", "-9223372036854775809",
        "2147483647",
        "253402300800", "99999999999999999999", "0.1", "90.0000001", "-180", "360", "\"\"", "{}", "[]", "[[[[[[[[", "}}}}",
        "\\u0000",
        "\\ud800", "\\udc00", "\u{FEFF}", "%00", "%", "%ff", "+", "&", "=", "&id=", "\"_type\":\"location\",", "\"features\":[",
        "\"locations\":[",
        "\"rawSignals\":[", "\"coords\":{", "\"timelinePath\":[", "geo:", "3439967296", "<Trackpoint>", "<Course>",
        "\u{1F}\u{8B}",
        "\"coordinates\":",
        "\"location\":[", "]]>", "<!--", "<![CDATA[", "&#x10FFFF;", "&amp;", "<trkpt lat='1' lon='2'>", "</trkpt>", "$GPRMC,",
        "*00", "<Placemark>", "<when>", "</coordinates>", "CIRCLE (", "))", "SRID=4326;", "MULTIPOLYGON (((", " ZM ", "EMPTY",
        "<wpt lat='1' lon='2'>", "PK\u{3}\u{4}",
        "\r\n", "\u{2028}", "\u{0}", "\"\"\"", "e\u{301}", "😀", "2026-13-01", "T24:00:00Z", "-00:00",
    ].map { Array($0.utf8) }

    /// An input for a target: a seed with some damage, two seeds combined, or a seed of another target.
    static func input(for target: Target, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = seeds[target]!.randomElement(using: &random)!
        if Int.random(in: 0..<16, using: &random) == 0 {
            bytes = seeds[Target.allCases.randomElement(using: &random)!]!.randomElement(using: &random)!
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            let other = seeds[target]!.randomElement(using: &random)!
            bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            bytes += other.suffix(Int.random(in: 0...other.count, using: &random))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes = Array(bytes.prefix(place))
            case 1: bytes.insert(contentsOf: repeatElement(bytes.randomElement(using: &random) ?? 0x5B, count: 300), at: place)
            default: bytes.insert(contentsOf: words.randomElement(using: &random)!, at: place)
            }
        }
        return Mutation.apply(to: bytes, most: 4, &random)
    }
}
