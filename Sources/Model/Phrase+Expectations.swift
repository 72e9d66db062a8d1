// What is expected instead of something invalid. The words of an expectation follow "Expected".
//
// An expectation that only one place uses is written there.

extension Phrase {
    // MARK: Words

    package static func oneOf(_ words: [String]) -> Phrase { Phrase("\(choice: words)") }
    package static func like(_ example: String) -> Phrase { Phrase("something like \(example)") }
    package static func thisOrNone(_ value: String) -> Phrase { Phrase("'\(value)', or leave it out") }
    package static func or(_ one: Phrase, _ other: Phrase) -> Phrase { Phrase("\(one), or \(other)") }
    package static let bothOrNeither = Phrase("both, or neither")
    package static let oneOfTheTwo = Phrase("one of the two")
    package static let yesOrNo = Phrase("yes or no")
    package static let trueOrFalse = Phrase("true or false")
    package static let string = Phrase("a string")
    package static let listOfStrings = Phrase("a list of strings, for example [\"…\"]")
    package static let oneLine = Phrase("one line")
    package static let object = Phrase("an object")
    package static let objectOfChanges = Phrase("an object with the fields that change")
    package static func objectOf(_ kind: JSONObjectKind) -> Phrase { Phrase("an object with the fields of \(kind)") }
    package static let anotherName = Phrase("another name")

    // MARK: Numbers

    package static let number = Phrase("a number")
    package static let wholeNumber = Phrase("a whole number")
    package static func wholeNumberIn(_ least: Int, _ most: Int) -> Phrase { Phrase("a whole number from \(least) to \(most)") }
    package static func atLeast(_ least: Int) -> Phrase { Phrase("\(least) or more") }
    package static func atMost(_ most: Int) -> Phrase { Phrase("at most \(most)") }
    package static func bytes(_ count: Int) -> Phrase { Phrase("\(count) bytes") }
    package static func mebibytes(_ count: Int) -> Phrase { Phrase("\(count) MB") }
    package static func metersIn(_ least: Int, _ most: Int) -> Phrase { Phrase("meters from \(least) to \(most)") }
    package static let degrees = Phrase("degrees")
    package static let meters = Phrase("meters")
    package static let metersFromZero = Phrase("meters, 0 or more")
    package static let metersPerSecond = Phrase("meters per second, 0 or more")
    package static func degreesIn(_ most: Int) -> Phrase { Phrase("degrees from -\(most) to \(most)") }
    package static let degreesE7 = Phrase("degrees × 10⁷, as a whole number")
    package static let hemisphereOrDegreeSign = Phrase("N, S, E or W after it, or a degree sign, such as 52°30.978'")

    // MARK: Times

    package static let time = Phrase("RFC 3339, for example 2026-05-01T10:00:00Z, or a day")
    package static let writtenTime = Phrase(
        """
        how long ago (7d, 12h), today, yesterday, a month (2026-10), a day (2026-10-05), a time today (08:00), a local time \
        (2026-10-05 08:00), or RFC 3339 (2026-10-05T06:00:00Z)
        """)
    package static let longerPeriods = Phrase("longer periods, or less time between since and until")
    package static let moment = Phrase("RFC 3339, for example 2026-05-01T10:00:00Z")
    package static let timeOfFix = Phrase(
        "RFC 3339, for example 2026-05-01T10:00:00Z, or Unix seconds, milliseconds or microseconds")
    package static let pastTime = Phrase("a time in the past, at most 30 years ago; default: now")
    package static let timeOfDay = Phrase("HH:MM, for example 08:15")
    package static let weekdays = Phrase("days of the week, for example mon-fri or sat,sun")
    package static let days = Phrase(
        "a day such as 2026-12-24, or the first and the last of several days, such as 2026-12-24..2027-01-06")
    package static let weeklyWindow = Phrase(
        "HH:MM-HH:MM, optionally with days before it, for example 22:00-07:00 or mon-fri 08:00-18:00")
    package static func duration(_ range: ClosedRange<Double>) -> Phrase {
        Phrase("a duration\(Phrase.bounds(of: range)), for example 30s, 10m, 2h or 90d")
    }
    package static func seconds(_ range: ClosedRange<Double>) -> Phrase {
        Phrase("a number of seconds\(Phrase.bounds(of: range))")
    }
    package static func orElse(_ one: Phrase, _ other: Phrase) -> Phrase { Phrase("\(one); \(other)") }
    package static let forever = Phrase("forever")
    package static let zeroOrForever = Phrase("0 to keep none, or forever")
    package static let zeroForNever = Phrase("0 for never")
    package static let leftOutForNoExpiry = Phrase("leave it out for a token that does not expire")
    package static let secondsAsNumber = Phrase("seconds, for example 7200")
    package static let geofencesOrAll = Phrase("the ids of geofences, or true for all")

    // MARK: Names

    package static let deviceID = Phrase("1 to 128 characters without control characters")
    package static let deviceIDOfRequest = Phrase("the device's id")
    package static let percentEncodedUTF8 = Phrase("UTF-8 with percent-encoding, for example J%C3%B6rg")
    package static let geofenceID = Phrase("1 to 64 characters of A-Z a-z 0-9 . _ -")
    package static let name = Phrase("1 to 120 characters without control characters")
    package static let ownIDOrReplace = Phrase("a different id, or --replace or --rename (HTTP: onConflict=replace or rename)")
    package static let userAndDevice = Phrase("a user and a device id, as in the app's settings")
    package static func whatWasSaid(_ field: String) -> Phrase { Phrase("the value of '\(field)' in the previous page") }

    // MARK: Addresses

    package static let brokerURL = Phrase("mqtt://HOST, mqtts://HOST (TLS) or mqtt://USER:PASSWORD@HOST:PORT")
    package static let freeAddress = Phrase("an address of this machine and a free port")
    package static let escapedURL = Phrase("an escaped URL")
    package static let mailAddress = Phrase("an email address")
    package static let supportContact = Phrase("an email address (help@example.org) or a web address (https://example.org/help)")
    package static let mapTiles = Phrase(
        "https://HOST/PATH with {z}, {x} and {y} in it, for example https://tile.example.org/{z}/{x}/{y}.png")
    package static let publicAddress = Phrase("a public address; the service runs with no-private-sinks")

    // MARK: Geofences

    package static let radiusProperty = Phrase("\"radius\" in meters in the data of the point")
    package static let box = Phrase("west,south,east,north in degrees, for example 13.3,52.4,13.5,52.6")
    package static func policy(_ names: [String]) -> Phrase { Phrase("\(list: names), or an object with individual fields") }
    package static let feature = Phrase("\"Feature\"")
    package static let wgs84 = Phrase("degrees on WGS 84 (EPSG:4326); tools such as ogr2ogr convert to it")
    /// Fewer outlines to repair in one file.
    package static let fewerOutlines = Phrase("fewer outlines in one file")

    // MARK: Devices and registries

    package static let regionsOfApp = Phrase("every region that the system monitors for the app, as far as the app knows")
    package static let regionFields = Phrase("identifier, latitude, longitude and radius (meters)")
    package static let identifierOfItsOwn = Phrase("an identifier that belongs to this geofence alone")
    package static func textOfCharacters(_ count: Int) -> Phrase { Phrase("1 to \(count) characters without control characters") }
    /// Identifiers of regions that begin with one of these.
    package static func identifiersBeginningWith(_ prefixes: [String]) -> Phrase {
        let prefixes = prefixes.map { "'\($0)'" }
        return Phrase("identifiers that are \(choice: prefixes) and a geofence's id; --prefix sets another prefix")
    }
    package static let deviceWithRegistry = Phrase("a device with a platform and a registry")
    package static let settingOfPlatform = Phrase("a setting or policy of this platform")

    // MARK: Files of positions

    package static let secondQuote = Phrase("a closing quotation mark at the field's end")
    package static let quotesAround = Phrase("quotation marks around a field that contains the separator")
    package static let columnNames = Phrase("a header line with column names, for example device,timestamp,latitude,longitude")
    package static func columnsOption(_ columns: String) -> Phrase { Phrase("the columns in --columns \(columns)") }
    package static let coordinateInOneColumn = Phrase("a latitude and a longitude in one column each, such as 52°30.978'N")
    package static let unitInColumn = Phrase(
        "the unit in the name of a column, such as accuracy_ft, or in its values, such as 500 ft")
    package static let oneEncoding = Phrase("UTF-8, as in the text before it")
    package static let geofenceColumns = Phrase("the columns 'id,name,latitude,longitude,radius' or 'id,name,WKT'")
    package static let kmlTrack = Phrase("a Track with a when for each coord, or points with a TimeStamp")
    package static let tcxTrack = Phrase("activities whose Trackpoint elements have Time and Position")
    package static let kmlGeofence = Phrase("a Polygon, or a Point with a radius")
    package static let kmlCoordinates = Phrase("longitude,latitude in degrees, with spaces between the corners")
    package static let unpackedFile = Phrase("the unpacked KML file")
    package static let traccarArea = Phrase("CIRCLE (LAT LON, RADIUS) or POLYGON ((LAT LON, LAT LON, …))")
    package static let wellKnownText = Phrase("POLYGON ((LON LAT, LON LAT, …)), MULTIPOLYGON or POINT, in degrees")
    package static let waypoints = Phrase("waypoints, or a file of polygons")
    package static let polygonAroundLine = Phrase("a polygon around it")
    package static let aFeature = Phrase("a feature")
    package static let positionsWithTimes = Phrase("positions with their times")
    package static let timeForEach = Phrase("a time for each of them, or --start and --interval")
    package static let deviceForAll = Phrase("--device for all")
    package static let positionObject = Phrase("an object with device, timestamp, latitude and longitude")
    package static let positionsInJSON = Phrase(
        "objects with device, timestamp, latitude and longitude, positions of an app, or an export of Google Timeline or Takeout")
    package static let checksum = Phrase("* and two digits at the end")
    package static let osmAndObject = Phrase("an object with device_id and location")
    package static func positionsAtMost(_ count: Int) -> Phrase { Phrase("\(count) positions at most") }
    package static func messagesAtMost(_ count: Int) -> Phrase { Phrase("\(count) messages at most") }
    package static let place = Phrase("the device's position")
    package static let lessAtATime = Phrase("less data at a time")

    // MARK: Sinks

    package static func topic(_ example: String) -> Phrase {
        Phrase("1 to 1,000 bytes without + and #, not starting with $, for example \(example)")
    }
    package static let rateLimit = Phrase("1 to 1,000,000 messages in 1s to 1d")
    package static let nameAndValue = Phrase("NAME: VALUE")
    package static let timeZoneName = Phrase("a name such as Europe/Berlin, or UTC")
    package static let fewerEntities = Phrase("fewer: choose with --device, --group and --geofence")
    package static let clientID = Phrase("at most 23 letters and digits")
    package static let acceptedByBroker = Phrase("a value that the broker accepts")

    // MARK: Requests

    package static let readerOrIngest = Phrase("the role reader or ingest, or neither devices nor groups")
    package static let certificatePEM = Phrase("a certificate in PEM")
    package static let policyJSON = Phrase("JSON, for example {\"maxSpeed\":50}")
}
