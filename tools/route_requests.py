"""The requests of tools/route-cost: for each route of the service, the most expensive ones that it accepts and that it refuses."""
import gzip
import io
import json
import math
import time
import zipfile

# The largest bodies that the service accepts, in bytes: of positions, of geofences to import, and of other documents.
POSITIONS, GEOFENCES, DOCUMENT = 16_000_000, 64_000_000, 1_000_000
# A value that makes an address almost as long as the service accepts.
LONG = "x" * 7900
NEAR = "x" * 128
PLAIN = "application/json"


class Request:
    """A kind of request to a route.

    `address`, `body` and `headers` are values, or functions of the store, the number of the request among those that are sent at once,
    and a number that no other request has. In an address, {i} and {n} stand for these numbers. `prepare` is a function of the store and
    of the pairs (i, n) of all requests that follow, and creates what they need. `seconds` says how long an answer without an end is read.
    `is_read` says that the request changes nothing, so that it is given up when its client leaves; None for GET alone.
    """

    def __init__(self, route, words, address, body=None, type=PLAIN, headers=None, prepare=None, is_refused=False, statuses=None, seconds=None, is_read=None):
        self.route, self.words, self.is_refused, self.seconds = route, words, is_refused, seconds
        self.method = route.split(" ")[0]
        self.is_read = self.method == "GET" if is_read is None else is_read
        self.address, self.body, self.type, self.headers, self.prepare = address, body, type, headers or {}, prepare
        self.statuses = statuses or (range(400, 500) if is_refused else range(200, 300))

    def bytes(self, store, i, n):
        """Returns the request as it is sent: its head and its body."""
        def value(of):
            return of(store, i, n) if callable(of) else of
        address = value(self.address).replace("{i}", str(i)).replace("{n}", str(n))
        body = value(self.body)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode()
        headers = {"Host": "127.0.0.1", "Connection": "close", "Authorization": "Bearer " + store.admin, **value(self.headers)}
        if self.method != "GET":
            headers["Content-Length"] = str(len(body or b""))
        if body is not None:
            headers["Content-Type"] = self.type
        lines = [f"{self.method} {address} HTTP/1.1"] + [f"{name}: {text}" for name, text in headers.items() if text is not None]
        return "\r\n".join(lines).encode() + b"\r\n\r\n", body or b""


def instant(seconds):
    whole = int(seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{int((seconds - whole) * 1000):03d}Z"


def repeated(begin, piece, end, size):
    """Returns a text of `size` bytes at most: a piece, or what a function makes of 0, 1, 2 and so on, as often as it has room."""
    if not callable(piece):
        return (begin + piece * ((size - len(begin) - len(end)) // len(piece)) + end).encode()
    parts, room, number = [begin], size - len(begin) - len(end), 0
    while room > 0:
        parts.append(piece(number))
        room -= len(parts[-1])
        number += 1
    return "".join([*parts[:-1], end]).encode()


# Each body is made once: 100 requests at once send the same bytes.
made = {}


def once(key, make):
    if key not in made:
        made.clear()
        made[key] = make()
    return made[key]


def body(key, begin, piece, end, limit, comma=","):
    """Returns the function of a body that consists of many pieces with commas between them."""
    def make(store, i, n):
        size = max(2000, int(limit * store.share))
        if callable(piece):
            return once(key, lambda: repeated(begin, lambda number: (comma if number else "") + piece(store, number), end, size))
        return once(key, lambda: repeated(begin + piece, comma + piece, end, size))
    return make


def packed(key, of):
    return lambda store, i, n: once("gzip " + key, lambda: gzip.compress(of(store, i, n), 9))


def zipped(key, of):
    def make(store, i, n):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("doc.kml", of(store, i, n))
        return file.getvalue()
    return lambda store, i, n: once("zip " + key, lambda: make(store, i, n))


def ring(store, corners, radius=0.01):
    """Returns the coordinates of a round outline around the center, as JSON."""
    latitude, longitude = store.center
    points = []
    for corner in range(corners):
        angle = 2 * math.pi * corner / corners
        points.append(f"[{longitude + radius * math.cos(angle):.7f},{latitude + radius * math.sin(angle):.7f}]")
    return "[" + ",".join([*points, points[0]]) + "]"


def outline(extra=""):
    """Returns the function of a geofence with as many corners as a document has room for."""
    def make(store, i, n):
        corners = max(8, int(DOCUMENT * store.share / 25))
        polygon = once(f"ring {corners}", lambda: ring(store, corners))
        return '{"name":"Outline %d",%s"geometry":{"type":"Polygon","coordinates":[%s]}}' % (n, extra, polygon)
    return make


def bow(store, i, n):
    """Returns a geofence whose outline crosses itself in many places."""
    corners = max(8, int(DOCUMENT * store.share / 25))
    latitude, longitude = store.center
    points = [f"[{longitude + place * 7919 % corners / corners / 50:.7f},{latitude + place * 104729 % corners / corners / 50:.7f}]" for place in range(corners)]
    return once("bow", lambda: '{"name":"Bow","geometry":{"type":"Polygon","coordinates":[[%s]]}}' % ",".join([*points, points[0]]))


def wide(store, i=0, n=0, name="Wide"):
    """Returns a circle that holds all devices."""
    return {"name": f"{name} {n}", "latitude": store.center[0], "longitude": store.center[1], "radius": 300_000}


def add_geofences(make):
    """Returns the preparation that adds geofences with the ids x0, x1 and so on."""
    def prepare(store, numbers):
        store.ask("POST", "/v1/geofences:edit", {"edits": [{"put": {"id": f"x{n}", **make(store, i, n)}} for i, n in numbers]})
    return prepare


def small(store, i, n):
    return {"name": f"Small {n}", "latitude": 10, "longitude": 10, "radius": 100}


def add_sinks(store, numbers):
    for _, n in numbers:
        store.ask("POST", "/v1/sinks", {"id": f"x{n}", "kind": "webhook", "url": store.receiver + "/well"})


def add_paused(store, numbers):
    add_sinks(store, numbers)
    for _, n in numbers:
        store.ask("POST", f"/v1/sinks/x{n}:pause")


def add_rules(store, numbers):
    for _, n in numbers:
        store.ask("POST", "/v1/rules", {"id": f"x{n}", **rule(store, 0, n)})


def rule(store, i, n):
    return {"group": "fleet", "geofenceId": "g0", "kind": "entersBy", "by": f"{n // 60 % 24:02d}:{n % 60:02d}"}


def add_tokens(store, numbers):
    store.made = {n: store.ask("POST", "/v1/tokens", {"name": f"x{n}", "role": "reader"}) for _, n in numbers}


def sign_in(store, numbers):
    page = {"X-Picket-Page": "1"}
    store.made = {n: store.head("POST", "/v1/session", {"token": store.admin}, page)["Set-Cookie"].split(";")[0] for _, n in numbers}


def cookie(store, i, n):
    return {"X-Picket-Page": "1", "Cookie": store.made[n], "Authorization": None}


def add_unknown(store, numbers):
    for _, n in numbers:
        store.ask("GET", f"/osmand?id=u{n}&lat=1&lon=1", headers={"Authorization": None}, accepts=[401])


def add_problems(store, numbers):
    for _, n in numbers:
        store.ask("GET", f"/osmand?id=q{n}&lat=abc&lon=1")
    problems = store.ask("GET", "/v1/problems?all=true&limit=10000")["problems"]
    store.made = {n: problems[i % len(problems)]["id"] for i, n in numbers}


def add_alarms(store, numbers):
    for _, n in numbers:
        store.ask("GET", f"/osmand?id=d{n % store.devices}&alarm=sos&timestamp={int(time.time() * 1000) + n}")
    alarms = store.ask("GET", "/v1/alarms?open=true&limit=10000")["alarms"]
    store.made = {n: alarms[i % len(alarms)]["sequence"] for i, n in numbers}


def position(store, number):
    """Returns the JSON of a new position of one device, away from the position before."""
    return '{"timestamp":"%s","latitude":%.6f,"longitude":%.6f}' % track(store, number)


def track(store, number):
    """Returns time, latitude and longitude of a new position of one device."""
    latitude, longitude = store.home(1)
    return instant(store.newest + 1 + number / 1000), latitude + number % 2 * 0.02, longitude


def nmea(store, number):
    """Returns the sentence $GPRMC of a new position."""
    at, latitude, longitude = track(store, number * 10)
    text = "GPRMC,%s,A,%02d%07.4f,N,%03d%07.4f,E,0.1,0.0,%s,," % (
        at[11:13] + at[14:16] + at[17:22], latitude, latitude % 1 * 60, longitude, longitude % 1 * 60, at[8:10] + at[5:7] + at[2:4])
    sum = 0
    for character in text:
        sum ^= ord(character)
    return f"${text}*{sum:02X}\n"


def all_positions():
    # Each request is about another device, so that none sends what is known.
    route, send = "POST /v1/positions", "/v1/positions?policy=exact&device=x{n}"
    csv_head = "time,lat,lon\n"
    gpx, kml = '<gpx version="1.1"><trk><trkseg>', '<kml xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>'
    tcx = "<TrainingCenterDatabase><Activities><Activity><Lap><Track>"
    ndjson = body("positions, ndjson", "", position, "\n", POSITIONS, comma="\n")
    empty = body("positions, {}", "", "{}", "\n", POSITIONS, comma="\n")
    placemarks = body("positions, kml", kml, lambda s, k: "<when>%s</when><gx:coord>%.6f %.6f 0</gx:coord>" % ((lambda t: (t[0], t[2], t[1]))(track(s, k))), "</gx:Track></Placemark></kml>", POSITIONS, comma="")
    def accepted(words, address, of, type):
        return Request(route, words, address, of, type)
    def refused(words, address, of, type, **more):
        return Request(route, words, address, of, type, is_refused=True, **more)
    return [
        accepted("an array of positions that enter and exit", send, body("positions, json", "[", position, "]", POSITIONS), PLAIN),
        accepted("the same as lines", send, ndjson, "application/x-ndjson"),
        Request(route, "the same, packed", send, packed("positions", ndjson), "application/x-ndjson", headers={"Content-Encoding": "gzip"}),
        accepted("GPX", send, body("positions, gpx", gpx, lambda s, k: '<trkpt lat="%.6f" lon="%.6f"><time>%s</time></trkpt>' % (lambda t: (t[1], t[2], t[0]))(track(s, k)), "</trkseg></trk></gpx>", POSITIONS, comma=""), "application/gpx+xml"),
        accepted("KML", send, placemarks, "application/vnd.google-earth.kml+xml"),
        accepted("KMZ", send, zipped("positions", placemarks), "application/vnd.google-earth.kmz"),
        accepted("TCX", send, body("positions, tcx", tcx, lambda s, k: "<Trackpoint><Time>%s</Time><Position><LatitudeDegrees>%.6f</LatitudeDegrees><LongitudeDegrees>%.6f</LongitudeDegrees></Position></Trackpoint>" % track(s, k), "</Track></Lap></Activity></Activities></TrainingCenterDatabase>", POSITIONS, comma=""), "application/vnd.garmin.tcx+xml"),
        accepted("CSV", send, body("positions, csv", csv_head, lambda s, k: "%s,%.6f,%.6f\n" % track(s, k), "", POSITIONS, comma=""), "text/csv"),
        accepted("CSV of short lines", send, body("positions, short csv", csv_head, lambda s, k: "%d,1,%d\n" % (s.oldest + k // 10, k % 10), "", POSITIONS, comma=""), "text/csv"),
        accepted("CSV with 100 columns of long names", send, body("positions, long names", "time,lat,lon" + "".join(f",{column:0120}" for column in range(100)) + "\n", lambda s, k: "%d,1,%d" % (s.oldest + k // 10, k % 10) + ",1" * 100 + "\n", "", POSITIONS, comma=""), "text/csv"),
        accepted("GeoJSON", send, body("positions, geojson", '{"type":"FeatureCollection","features":[', lambda s, k: '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.6f,%.6f]},"properties":{"time":"%s"}}' % (lambda t: (t[2], t[1], t[0]))(track(s, k)), "]}", POSITIONS), "application/geo+json"),
        accepted("NMEA", send, body("positions, nmea", "", nmea, "", POSITIONS // 4, comma=""), "text/plain"),
        refused("an array of empty objects", send, body("positions, empty array", "[", "{}", "]", POSITIONS), PLAIN),
        refused("empty objects as lines", send, empty, "application/x-ndjson"),
        refused("the same, packed", send, packed("positions, {}", empty), "application/x-ndjson", headers={"Content-Encoding": "gzip"}),
        refused("packed zeros that are too large", send, lambda s, i, n: once("zeros", lambda: gzip.compress(bytes(int(1e9 * s.share)), 9)), "application/x-ndjson", headers={"Content-Encoding": "gzip"}),
        refused("GPX of empty points", send, body("positions, empty gpx", gpx, "<trkpt/>", "</trkseg></trk></gpx>", POSITIONS, comma=""), "application/gpx+xml"),
        refused("KML of empty points", send, body("positions, empty kml", kml, "<when/><gx:coord>x</gx:coord>", "</gx:Track></Placemark></kml>", POSITIONS, comma=""), "application/vnd.google-earth.kml+xml"),
        refused("TCX of empty points", send, body("positions, empty tcx", tcx, "<Trackpoint/>", "</Track></Lap></Activity></Activities></TrainingCenterDatabase>", POSITIONS, comma=""), "application/vnd.garmin.tcx+xml"),
        refused("CSV of commas", send, body("positions, empty csv", csv_head, ",,\n", "", POSITIONS, comma=""), "text/csv"),
        refused("GeoJSON of empty objects", send, body("positions, empty geojson", '{"type":"FeatureCollection","features":[', "{}", "]}", POSITIONS), "application/geo+json"),
        refused("sentences without a checksum", send, body("positions, empty nmea", "$GPRMC,123519,A\n", "$\n", "", POSITIONS, comma=""), "text/plain"),
        refused("nested arrays", send, body("nested", '{"a":[', "[]", "]}", POSITIONS), PLAIN),
        refused("positions without a device", "/v1/positions?policy=exact", ndjson, "application/x-ndjson"),
        refused("positions whose device has an invalid id", "/v1/positions?policy=exact", body("positions, invalid id", "device,time,lat,lon\n", lambda s, k: "\u200b,%s,%.6f,%.6f\n" % track(s, k), "", POSITIONS, comma=""), "text/csv"),
    ]


def spot(store, number):
    latitude, longitude = store.place(number * 7 + 3)
    return latitude, longitude, number


def all_imports():
    route, send = "POST /v1/geofences:import", "/v1/geofences:import?onConflict=rename"
    features = '{"type":"FeatureCollection","features":['
    feature = lambda s, k: '{"type":"Feature","geometry":{"type":"Point","coordinates":[%.6f,%.6f]},"properties":{"name":"Import %d","radius":100}}' % (lambda p: (p[1], p[0], p[2]))(spot(s, k))
    properties = lambda s, k: feature(s, k)[:-2] + "".join(f',"p{number}":"value {k}"' for number in range(10)) + "}}"
    placemark = lambda s, k: "<Placemark><name>Import %d</name><Point><coordinates>%.6f,%.6f</coordinates></Point></Placemark>" % (lambda p: (p[2], p[1], p[0]))(spot(s, k))
    kml = body("import, kml", "<kml><Document>", placemark, "</Document></kml>", GEOFENCES, comma="")
    csv_head = "name,latitude,longitude,radius\n"
    wkt = lambda s, k: "POLYGON((%.5f %.5f,%.5f %.5f,%.5f %.5f,%.5f %.5f))\n" % (lambda a, b: (b, a, b + .001, a, b, a + .001, b, a))(*s.place(k))
    def accepted(words, of, type, address=send):
        return Request(route, words, address, of, type)
    def refused(words, of, type, **more):
        return Request(route, words, send, of, type, is_refused=True, **more)
    return [
        accepted("GeoJSON of circles", body("import, geojson", features, feature, "]}", GEOFENCES), "application/geo+json"),
        accepted("GeoJSON of circles with one name", body("import, one name", features, '{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"A","radius":9}}', "]}", GEOFENCES), "application/geo+json"),
        accepted("GeoJSON of circles with ten properties", body("import, properties", features, properties, "]}", GEOFENCES), "application/geo+json"),
        accepted("GeoJSON of circles that replace each other", body("import, replace", features, lambda s, k: '{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"name":"A","radius":%d}}' % (k % 9 + 1), "]}", GEOFENCES), "application/geo+json", "/v1/geofences:import?onConflict=replace"),
        accepted("CSV of circles", body("import, csv", csv_head, lambda s, k: "Import %d,%.6f,%.6f,100\n" % (lambda p: (p[2], p[0], p[1]))(spot(s, k)), "", GEOFENCES, comma=""), "text/csv"),
        accepted("KML of points", kml, "application/vnd.google-earth.kml+xml", send + "&radius=100"),
        accepted("KMZ of points", zipped("import", kml), "application/vnd.google-earth.kmz", send + "&radius=100"),
        accepted("GPX of waypoints", body("import, gpx", '<gpx version="1.1">', lambda s, k: '<wpt lat="%.6f" lon="%.6f"><name>Import %d</name></wpt>' % spot(s, k), "</gpx>", GEOFENCES, comma=""), "application/gpx+xml", send + "&radius=100"),
        accepted("WKT of triangles", body("import, wkt", "", wkt, "", GEOFENCES, comma=""), "text/plain"),
        refused("GeoJSON of empty objects", body("import, empty geojson", features, "{}", "]}", GEOFENCES), "application/geo+json"),
        refused("GeoJSON of circles without radius", body("import, no radius", features, '{"type":"Feature","geometry":{"type":"Point","coordinates":[1,1]}}', "]}", GEOFENCES), "application/geo+json"),
        refused("CSV of commas", body("import, empty csv", csv_head, ",\n", "", GEOFENCES, comma=""), "text/csv", statuses=range(200, 500)),
        refused("KML of empty placemarks", body("import, empty kml", "<kml>", "<Placemark/>", "</kml>", GEOFENCES, comma=""), "application/vnd.google-earth.kml+xml"),
        refused("GPX of empty waypoints", body("import, empty gpx", '<gpx version="1.1">', "<wpt/>", "</gpx>", GEOFENCES, comma=""), "application/gpx+xml"),
        refused("WKT of points", body("import, empty wkt", "", "POINT EMPTY\n", "", GEOFENCES, comma=""), "text/plain"),
    ]


def all_phones():
    """Returns the requests of the protocols of phones. Refused input is answered with 200, so that a phone does not send it again."""
    taken = {"statuses": range(200, 201)}
    newest = lambda s, n: int(s.newest * 1000) + 2000 + n
    query = lambda s, i, n: "id=d%d&lat=%.6f&lon=%.6f&timestamp=%d" % (i % s.devices, *s.home(i + 1), newest(s, n))
    form = "application/x-www-form-urlencoded"
    found = []
    for path in ("/osmand", "/"):
        found += [
            Request("GET " + path, "a position that enters and exits", lambda s, i, n, path=path: path + "?" + query(s, i, n)),
            Request("GET " + path, "an invalid position", path + "?id=r{n}&lat=abc&lon=1&x=" + LONG[:7000], is_refused=True, **taken),
            Request("POST " + path, "positions as JSON", path, body("osmand", "[", lambda s, k: '{"id":"d%d","lat":%.6f,"lon":%.6f,"timestamp":%d}' % (k % s.devices, *s.home(k + 1), newest(s, k)), "]", DOCUMENT)),
            Request("POST " + path, "invalid positions as JSON", path, body("osmand, refused", "[", '{"id":"r"}', "]", DOCUMENT), is_refused=True, **taken),
            Request("POST " + path, "a form with many fields", path, lambda s, i, n: query(s, i, n) + "&a=1" * int(DOCUMENT * s.share / 5), form, is_refused=True, statuses=range(200, 500)),
        ]
    waypoints = lambda s, k: '{"_type":"waypoint","desc":"%d","lat":%.6f,"lon":%.6f,"rad":100,"tst":%d}' % (k, *s.home(k), k)
    for path in ("/owntracks", "/pub"):
        found += [
            Request("POST " + path, "a list of waypoints", path + "?u=phone&d={i}", body("owntracks", '{"_type":"waypoints","waypoints":[', waypoints, "]}", DOCUMENT)),
            Request("POST " + path, "a list of empty objects", path + "?u=phone&d={i}", body("owntracks, refused", '{"_type":"waypoints","waypoints":[', "{}", "]}", DOCUMENT), is_refused=True, **taken),
        ]
    return found


def all_requests():
    """Returns all requests, by route in the order of the list."""
    def get(path, words, address=None, **more):
        return Request("GET " + path, words, address or path, **more)
    def refuse(route, words, address, of=None, **more):
        return Request(route, words, address, of, is_refused=True, **more)
    def unknown(path):
        """Returns the refused request with a parameter that no route knows. Its value is as long as an address may be."""
        return refuse("GET " + path, "an unknown parameter, 8 kB", path + "?x=" + LONG)
    def missing(route):
        """Returns the refused request for something that does not exist, with a name for which similar ones are looked for."""
        address = route.split(" ")[1].replace("{id}", NEAR).replace("{name}", NEAR)
        of = None if route.split(" ")[0] in ("GET", "DELETE") else {}
        return refuse(route, "an unknown name", address, of)
    edits = lambda key, piece: body(key, '{"edits":[', piece, "]}", DOCUMENT)
    period = lambda s: instant(s.oldest)
    observation = lambda s, k: '{"at":"%s","type":"enter","identifier":"picket/g%d"}' % (instant(s.oldest + k), k % s.geofences)
    observations = lambda key, piece: body(key, "[", piece, "]", DOCUMENT // 2)
    region = lambda s, k: '{"identifier":"picket/g%d","latitude":%.6f,"longitude":%.6f,"radius":100}' % (k, *s.place(k))
    return [
        *all_positions(), *all_phones(),
        get("/v1/events", "10,000, oldest first", "/v1/events?after=0&limit=10000"),
        get("/v1/events", "10,000, newest first", "/v1/events?order=newest&limit=10000"),
        get("/v1/events", "all, as CSV", "/v1/events?format=csv&all=true"),
        get("/v1/events", "all, as GeoJSON", "/v1/events?format=geojson&all=true"),
        get("/v1/events", "of types without events", "/v1/events?type=alarm,missed&geofence=g1&limit=10000"),
        get("/v1/events", "a long poll", "/v1/events?type=dwell&wait=1s"),
        refuse("GET /v1/events", "a list of unknown types, 8 kB", "/v1/events?type=" + "a," * 3900),
        get("/v1/events/stream", "all events, for 3 s", "/v1/events/stream?after=0&notices=true&positions=all", seconds=3),
        refuse("GET /v1/events/stream", "a wrong cursor", "/v1/events/stream?after=99999999999"),
        get("/v1/geofences", "10,000", "/v1/geofences?limit=10000"),
        get("/v1/geofences", "a part of a name that none has", "/v1/geofences?limit=10000&matching=qqqqqqqq"),
        get("/v1/geofences", "in a box", "/v1/geofences?limit=10000&bbox=-180,-90,180,90"),
        unknown("/v1/geofences"),
        Request("POST /v1/geofences", "a polygon of 1 MB", "/v1/geofences", outline()),
        Request("POST /v1/geofences", "a circle around all devices", "/v1/geofences", wide),
        refuse("POST /v1/geofences", "a polygon that crosses itself, 1 MB", "/v1/geofences", bow),
        refuse("POST /v1/geofences", "nested arrays, 1 MB", "/v1/geofences", body("nested arrays", '{"name":"A","geometry":[', "[1]", "]}", DOCUMENT)),
        get("/v1/geofences/{id}", "a geofence", "/v1/geofences/g0"),
        missing("GET /v1/geofences/{id}"),
        Request("PUT /v1/geofences/{id}", "a circle around all devices", "/v1/geofences/x{n}", wide),
        Request("PUT /v1/geofences/{id}", "a polygon of 1 MB instead of a circle", "/v1/geofences/g{i}", outline()),
        refuse("PUT /v1/geofences/{id}", "a polygon that crosses itself, 1 MB", "/v1/geofences/g{i}", bow),
        Request("PATCH /v1/geofences/{id}", "a circle grows around all devices", "/v1/geofences/x{n}", {"latitude": 52.5, "longitude": 13.4, "radius": 300_000}, prepare=add_geofences(small)),
        refuse("PATCH /v1/geofences/{id}", "an unknown name", "/v1/geofences/" + NEAR, {"radius": 5}),
        Request("DELETE /v1/geofences/{id}", "a circle around all devices", "/v1/geofences/x{n}", prepare=add_geofences(wide)),
        missing("DELETE /v1/geofences/{id}"),
        get("/v1/geofences/{id}/devices", "all devices", "/v1/geofences/wide/devices?limit=10000"),
        missing("GET /v1/geofences/{id}/devices"),
        *all_imports(),
        get("/v1/geofences:export", "all"),
        unknown("/v1/geofences:export"),
        get("/v1/geofences/overlaps", "10,000 pairs", "/v1/geofences/overlaps?limit=10000"),
        get("/v1/geofences/overlaps", "of a circle that holds all others", "/v1/geofences/overlaps?limit=10000&of=wide"),
        refuse("GET /v1/geofences/overlaps", "an unknown name", "/v1/geofences/overlaps?of=" + NEAR),
        Request("POST /v1/geofences:overlaps", "a circle that holds all others", "/v1/geofences:overlaps?limit=10000", wide, is_read=True),
        Request("POST /v1/geofences:overlaps", "a polygon of 1 MB", "/v1/geofences:overlaps?limit=10000", outline(), is_read=True),
        refuse("POST /v1/geofences:overlaps", "a polygon that crosses itself, 1 MB", "/v1/geofences:overlaps", bow),
        Request("POST /v1/geofences:edit", "circles of 1 MB", "/v1/geofences:edit", edits("edit", lambda s, k: '{"put":{"id":"e%d","name":"E%d","latitude":%.6f,"longitude":%.6f,"radius":100}}' % (k, k, *s.place(k)))),
        refuse("POST /v1/geofences:edit", "empty objects, 1 MB", "/v1/geofences:edit", edits("edit, empty", "{}")),
        refuse("POST /v1/geofences:edit", "circles of 1 MB, the last one unknown", "/v1/geofences:edit", body("edit, last", '{"edits":[', '{"put":{"id":"e","name":"E","latitude":1,"longitude":1,"radius":9}}', ',{"remove":"nothing"}]}', DOCUMENT)),
        get("/v1/devices", "10,000", "/v1/devices?limit=10000"),
        get("/v1/devices", "in a box", "/v1/devices?limit=10000&bbox=-180,-90,180,90"),
        get("/v1/devices", "in a geofence", "/v1/devices?limit=10000&inside=wide"),
        unknown("/v1/devices"),
        Request("POST /v1/devices", "a simulated phone", "/v1/devices", lambda s, i, n: {"id": f"x{n}", "platform": "ios", "groups": ["fleet"]}),
        Request("POST /v1/devices", "100 groups", "/v1/devices", lambda s, i, n: {"id": f"x{n}", "groups": [f"group {number}" for number in range(100)]}),
        refuse("POST /v1/devices", "many groups, 1 MB", "/v1/devices", body("groups", '{"id":"many","groups":[', lambda s, k: f'"group {k}"', "]}", DOCUMENT), statuses=range(200, 500)),
        get("/v1/devices/{id}", "the one with most positions, and how many would be deleted", "/v1/devices/d0?keepPositions=1s"),
        missing("GET /v1/devices/{id}"),
        Request("PUT /v1/devices/{id}", "another policy and group", "/v1/devices/d{i}", {"policy": "phone", "groups": ["other"], "platform": "ios"}),
        refuse("PUT /v1/devices/{id}", "quiet hours, 1 MB", "/v1/devices/d{i}", body("quiet", '{"quietHours":[', '"22:00-06:0"', "]}", DOCUMENT)),
        Request("PATCH /v1/devices/{id}", "positions are kept for a second", "/v1/devices/d{i}", {"keepPositions": 1}),
        refuse("PATCH /v1/devices/{id}", "an unknown name", "/v1/devices/" + NEAR, {"name": "A"}),
        Request("DELETE /v1/devices/{id}", "the one with most positions first", "/v1/devices/d{i}"),
        missing("DELETE /v1/devices/{id}"),
        Request("POST /v1/devices:edit", "another policy of all devices", "/v1/devices:edit", lambda s, i, n: {"all": True, "patch": {"policy": {"confirmFixes": 1 + n % 3}}}),
        Request("POST /v1/devices:edit", "devices of 1 MB", "/v1/devices:edit", edits("devices", lambda s, k: '{"put":{"id":"e%d"}}' % k)),
        refuse("POST /v1/devices:edit", "empty objects, 1 MB", "/v1/devices:edit", edits("devices, empty", "{}")),
        refuse("POST /v1/devices:edit", "a patch of unknown devices, 1 MB", "/v1/devices:edit", body("devices, unknown", '{"patch":{"silentAfter":3600},"devices":[', lambda s, k: f'"nobody{k}"', "]}", DOCUMENT)),
        Request("POST /v1/devices/{id}:erase", "one with many events", "/v1/devices/d{i}:erase"),
        missing("POST /v1/devices/{id}:erase"),
        get("/v1/devices/{id}/track", "10,000 positions", "/v1/devices/d0/track?limit=10000"),
        get("/v1/devices/{id}/track", "all, as GPX", "/v1/devices/d0/track?format=gpx"),
        missing("GET /v1/devices/{id}/track"),
        get("/v1/devices/{id}/stops", "10,000 positions", "/v1/devices/d0/stops?minDuration=0"),
        missing("GET /v1/devices/{id}/stops"),
        refuse("GET /v1/geocode", "a long text", "/v1/geocode?q=" + LONG),
        Request("DELETE /v1/devices/{id}/positions", "all of the one with most positions first", lambda s, i, n: f"/v1/devices/d{i}/positions?since=" + period(s)),
        refuse("DELETE /v1/devices/{id}/positions", "an unknown name", f"/v1/devices/{NEAR}/positions?since=2020-01-01"),
        Request("PUT /v1/devices/{id}/owntracks-key", "a key", "/v1/devices/d{i}/owntracks-key", {"key": "k" * 32}),
        refuse("PUT /v1/devices/{id}/owntracks-key", "a key of 1 MB", "/v1/devices/d0/owntracks-key", lambda s, i, n: {"key": "k" * int(DOCUMENT * s.share - 20)}),
        Request("DELETE /v1/devices/{id}/owntracks-key", "a key", "/v1/devices/d{i}/owntracks-key"),
        missing("DELETE /v1/devices/{id}/owntracks-key"),
        get("/v1/devices/{id}/export", "the one with most positions", "/v1/devices/d0/export"),
        missing("GET /v1/devices/{id}/export"),
        get("/v1/groups", "all"),
        unknown("/v1/groups"),
        get("/v1/groups/{name}", "the one of all devices", "/v1/groups/fleet"),
        missing("GET /v1/groups/{name}"),
        Request("PATCH /v1/groups/{name}", "another policy of all devices", "/v1/groups/fleet", lambda s, i, n: {"policy": {"confirmFixes": 1 + n % 3}, "silentAfter": 100_000 + n}),
        refuse("PATCH /v1/groups/{name}", "quiet hours, 1 MB", "/v1/groups/fleet", body("quiet", '{"quietHours":[', '"22:00-06:0"', "]}", DOCUMENT)),
        get("/v1/status", "10,000 devices, with totals and seen times", "/v1/status?totals=true&seen=true&limit=10000"),
        get("/v1/status", "all, as CSV", "/v1/status?format=csv&seen=true"),
        refuse("GET /v1/status", "an unknown name", "/v1/status?device=" + NEAR),
        get("/v1/visits", "10,000", "/v1/visits?limit=10000"),
        get("/v1/visits", "10,000 that are long, newest first", "/v1/visits?limit=10000&minDuration=1d&order=newest"),
        get("/v1/visits", "all, as CSV", "/v1/visits?format=csv"),
        get("/v1/visits", "all, as GeoJSON", "/v1/visits?format=geojson"),
        unknown("/v1/visits"),
        get("/v1/visits/totals", "10,000", "/v1/visits/totals?limit=10000&minDuration=1s"),
        unknown("/v1/visits/totals"),
        get("/v1/reports", "by device and day", lambda s, i, n: "/v1/reports?by=device&period=day&since=" + period(s)),
        get("/v1/reports", "by geofence and day, as a page", lambda s, i, n: "/v1/reports?by=geofence&period=day&format=html&minDuration=1s&since=" + period(s)),
        get("/v1/reports", "by device and day, as a workbook", lambda s, i, n: "/v1/reports?by=device&period=day&format=xlsx&since=" + period(s)),
        get("/v1/reports", "by device, geofence and day", lambda s, i, n: "/v1/reports?by=device,geofence&period=day&since=" + period(s)),
        get("/v1/reports", "by group and day of ten years", "/v1/reports?by=group&period=day&since=2017-01&until=2026-12"),
        refuse("GET /v1/reports", "too many periods", "/v1/reports?by=device&period=day&since=1970-01"),
        get("/v1/explain", "with 2,000 positions around", "/v1/explain?device=d0&geofence=wide&around=1000"),
        refuse("GET /v1/explain", "an unknown name", "/v1/explain?device=d0&geofence=" + NEAR),
        Request("POST /v1/replay", "of all devices", "/v1/replay", {}),
        Request("POST /v1/replay", "of all devices with the geofences of now, without changes", "/v1/replay", {"all": True, "deleted": True, "apply": False}, is_read=True),
        refuse("POST /v1/replay", "nested arrays, 1 MB", "/v1/replay", body("nested replay", '{"geofences":[', "[1]", "]}", DOCUMENT)),
        refuse("POST /v1/replay", "unknown geofences, 1 MB", "/v1/replay", body("replay", '{"geofences":[', lambda s, k: f'"nothing{k}"', "]}", DOCUMENT)),
        get("/v1/health", "10,000 with totals", "/v1/health?totals=true&limit=10000"),
        unknown("/v1/health"),
        get("/v1/devices/{id}/health", "explained", "/v1/devices/d1/health?explain=true"),
        missing("GET /v1/devices/{id}/health"),
        Request("POST /v1/devices/{id}/fix-registration", "a simulated phone", lambda s, i, n: f"/v1/devices/{s.phone(i)}/fix-registration"),
        missing("POST /v1/devices/{id}/fix-registration"),
        get("/v1/devices/{id}/health-changes", "all", "/v1/devices/d1/health-changes"),
        missing("GET /v1/devices/{id}/health-changes"),
        get("/v1/devices/{id}/repairs", "all", "/v1/devices/d1/repairs?limit=10000"),
        missing("GET /v1/devices/{id}/repairs"),
        get("/v1/devices/{id}/registry", "an app with 1,000 regions", "/v1/devices/app/registry"),
        missing("GET /v1/devices/{id}/registry"),
        Request("PUT /v1/devices/{id}/registry", "1,000 regions", "/v1/devices/app{i}/registry", lambda s, i, n: once("regions", lambda: '{"platform":"ios","authorizationStatus":"always","regions":[%s]}' % ",".join(region(s, k) for k in range(1000)))),
        refuse("PUT /v1/devices/{id}/registry", "empty objects, 1 MB", "/v1/devices/app{i}/registry", body("registry, empty", '{"platform":"ios","authorizationStatus":"always","regions":[', "{}", "]}", DOCUMENT)),
        Request("POST /v1/devices/{id}/registry:simulate", "a reboot", lambda s, i, n: f"/v1/devices/{s.phone(i)}/registry:simulate", {"action": "reboot"}),
        refuse("POST /v1/devices/{id}/registry:simulate", "unknown regions, 1 MB", "/v1/devices/d1/registry:simulate", body("simulate", '{"action":"explode","identifiers":[', '"a"', "]}", DOCUMENT)),
        Request("POST /v1/devices/{id}/observations", "observations", "/v1/devices/app/observations", observations("observations", observation)),
        refuse("POST /v1/devices/{id}/observations", "empty objects", "/v1/devices/app/observations", observations("observations, empty", "{}"), statuses=range(200, 500)),
        get("/v1/devices/{id}/comparison", "all positions and observations of an app", lambda s, i, n: "/v1/devices/app/comparison?clockSkew=auto&since=" + period(s)),
        missing("GET /v1/devices/{id}/comparison"),
        get("/v1/problems", "10,000", "/v1/problems?all=true&limit=10000"),
        unknown("/v1/problems"),
        get("/v1/problems/{id}", "a problem", lambda s, i, n: f"/v1/problems/{s.made[n]}", prepare=add_problems),
        missing("GET /v1/problems/{id}"),
        Request("POST /v1/problems/{id}:dismiss", "a problem", lambda s, i, n: f"/v1/problems/{s.made[n]}:dismiss", prepare=add_problems),
        missing("POST /v1/problems/{id}:dismiss"),
        get("/v1/alarms", "10,000", "/v1/alarms?limit=10000"),
        unknown("/v1/alarms"),
        Request("POST /v1/alarms/{id}:acknowledge", "an alarm", lambda s, i, n: f"/v1/alarms/{s.made[n]}:acknowledge?by=A", prepare=add_alarms),
        missing("POST /v1/alarms/{id}:acknowledge"),
        refuse("GET /alarms/{id}", "a wrong key", lambda s, i, n: f"/alarms/{s.made[n]}?key={NEAR}", prepare=add_alarms),
        refuse("POST /alarms/{id}", "a wrong key", lambda s, i, n: f"/alarms/{s.made[n]}?key={NEAR}", prepare=add_alarms),
        get("/v1/rules", "all"),
        unknown("/v1/rules"),
        Request("POST /v1/rules", "of all devices, with what is on record", "/v1/rules", lambda s, i, n: {"id": f"x{n}", **rule(s, i, n), "since": period(s)}),
        refuse("POST /v1/rules", "an unknown field, 1 MB", "/v1/rules", lambda s, i, n: {**rule(s, i, n), "x": "y" * int(DOCUMENT * s.share - 200)}),
        get("/v1/rules/{id}", "a rule", "/v1/rules/r0"),
        missing("GET /v1/rules/{id}"),
        Request("PUT /v1/rules/{id}", "of all devices", "/v1/rules/x{n}", lambda s, i, n: rule(s, i, n + 1), prepare=add_rules),
        refuse("PUT /v1/rules/{id}", "an unknown name", "/v1/rules/" + NEAR, rule),
        Request("DELETE /v1/rules/{id}", "of all devices", "/v1/rules/x{n}", prepare=add_rules),
        missing("DELETE /v1/rules/{id}"),
        get("/v1/sinks", "all"),
        unknown("/v1/sinks"),
        Request("POST /v1/sinks", "a webhook", "/v1/sinks", lambda s, i, n: {"id": f"x{n}", "kind": "webhook", "url": s.receiver + "/well"}),
        refuse("POST /v1/sinks", "an address of 1 MB", "/v1/sinks", lambda s, i, n: {"kind": "webhook", "url": "http:" + "/" * int(DOCUMENT * s.share - 100)}),
        get("/v1/sinks/{id}", "a webhook", "/v1/sinks/rejected"),
        missing("GET /v1/sinks/{id}"),
        Request("PUT /v1/sinks/{id}", "a webhook", "/v1/sinks/x{n}", lambda s, i, n: {"kind": "webhook", "url": s.receiver + "/well"}, prepare=add_sinks),
        refuse("PUT /v1/sinks/{id}", "an address of 1 MB", "/v1/sinks/rejected", lambda s, i, n: {"kind": "webhook", "url": "http:" + "/" * int(DOCUMENT * s.share - 100)}),
        Request("DELETE /v1/sinks/{id}", "a webhook", "/v1/sinks/x{n}", prepare=add_sinks),
        missing("DELETE /v1/sinks/{id}"),
        Request("POST /v1/sinks/{id}:test", "a receiver that never answers", "/v1/sinks/silent:test"),
        missing("POST /v1/sinks/{id}:test"),
        Request("POST /v1/sinks/{id}:pause", "a webhook", "/v1/sinks/x{n}:pause", prepare=add_sinks),
        missing("POST /v1/sinks/{id}:pause"),
        Request("POST /v1/sinks/{id}:resume", "a webhook, without what waits", "/v1/sinks/x{n}:resume?skip=true", prepare=add_paused),
        missing("POST /v1/sinks/{id}:resume"),
        get("/v1/sinks/{id}/parked", "10,000", "/v1/sinks/rejected/parked?limit=10000"),
        missing("GET /v1/sinks/{id}/parked"),
        Request("POST /v1/sinks/{id}/parked:resend", "all", "/v1/sinks/rejected/parked:resend"),
        missing("POST /v1/sinks/{id}/parked:resend"),
        Request("DELETE /v1/sinks/{id}/parked", "all", "/v1/sinks/rejected/parked"),
        missing("DELETE /v1/sinks/{id}/parked"),
        get("/v1/check", "all"),
        unknown("/v1/check"),
        get("/v1/backup", "all"),
        unknown("/v1/backup"),
        get("/v1/report", "all"),
        unknown("/v1/report"),
        get("/v1/doctor", "all"),
        unknown("/v1/doctor"),
        get("/v1/sample-data", "how much there is"),
        unknown("/v1/sample-data"),
        Request("POST /v1/sample-data", "loads it", "/v1/sample-data"),
        refuse("POST /v1/sample-data", "an unknown parameter, 8 kB", "/v1/sample-data?x=" + LONG),
        Request("DELETE /v1/sample-data", "erases it", "/v1/sample-data", prepare=lambda s, numbers: s.ask("POST", "/v1/sample-data")),
        refuse("DELETE /v1/sample-data", "an unknown parameter, 8 kB", "/v1/sample-data?x=" + LONG),
        get("/v1/tokens", "all", "/v1/tokens?revoked=true"),
        unknown("/v1/tokens"),
        Request("POST /v1/tokens", "for 1,000 devices", "/v1/tokens", {"name": "many", "role": "reader", "devices": [f"d{number}" for number in range(1000)]}),
        refuse("POST /v1/tokens", "for many devices, 1 MB", "/v1/tokens", body("token", '{"name":"many","role":"reader","devices":[', lambda s, k: f'"device {k}"', ',"\\u0001"]}', DOCUMENT)),
        refuse("POST /v1/tokens", "for many unusable ids, 1 MB", "/v1/tokens", body("token, refused", '{"name":"many","role":"reader","devices":[', '""', "]}", DOCUMENT)),
        Request("DELETE /v1/tokens/{id}", "a token", lambda s, i, n: "/v1/tokens/" + s.made[n]["id"], prepare=add_tokens),
        missing("DELETE /v1/tokens/{id}"),
        Request("POST /v1/stream-tokens", "a token", "/v1/stream-tokens"),
        refuse("POST /v1/stream-tokens", "a wrong token", "/v1/stream-tokens", headers={"Authorization": "Bearer " + "x" * 7000}),
        Request("POST /v1/session", "signs in", "/v1/session", lambda s, i, n: {"token": s.admin}, headers={"X-Picket-Page": "1"}),
        refuse("POST /v1/session", "a wrong token of 1 MB", "/v1/session", lambda s, i, n: {"token": "x" * int(DOCUMENT * s.share - 20)}, headers={"X-Picket-Page": "1"}),
        get("/v1/session", "prolongs a session", headers=cookie, prepare=sign_in),
        refuse("GET /v1/session", "a wrong cookie", "/v1/session", headers={"Authorization": None, "Cookie": "picket=" + LONG}),
        Request("DELETE /v1/session", "signs out", "/v1/session", headers=cookie, prepare=sign_in),
        refuse("DELETE /v1/session", "without the header of the page", "/v1/session"),
        get("/v1/me/preferences", "all"),
        unknown("/v1/me/preferences"),
        Request("PUT /v1/me/preferences", "all", "/v1/me/preferences", {"theme": "dark", "timeZone": "Europe/Berlin"}),
        refuse("PUT /v1/me/preferences", "a theme of 1 MB", "/v1/me/preferences", lambda s, i, n: {"theme": "x" * int(DOCUMENT * s.share - 20)}),
        Request("POST /v1/devices/{id}:enroll", "a new device", "/v1/devices/x{n}:enroll", {"name": "X", "platform": "ios"}),
        refuse("POST /v1/devices/{id}:enroll", "a name of 1 MB", "/v1/devices/x{n}:enroll", lambda s, i, n: {"name": "x" * int(DOCUMENT * s.share - 20)}),
        get("/v1/waiting-devices", "all"),
        unknown("/v1/waiting-devices"),
        Request("POST /v1/waiting-devices/{id}:refuse", "one", "/v1/waiting-devices/u{n}:refuse", prepare=add_unknown),
        refuse("POST /v1/waiting-devices/{id}:refuse", "a name that is too long", f"/v1/waiting-devices/{LONG}:refuse"),
        Request("POST /v1/waiting-devices/{id}:readmit", "one", "/v1/waiting-devices/u{n}:readmit", prepare=add_unknown),
        refuse("POST /v1/waiting-devices/{id}:readmit", "an unknown name of 8 kB", f"/v1/waiting-devices/{LONG}:readmit", statuses=range(200, 500)),
        get("/dashboard/{name}", "a file", "/dashboard/index.html"),
        refuse("GET /dashboard/{name}", "a name of 8 kB", "/dashboard/" + LONG),
        get("/dashboard/leaflet/{name}", "the library", "/dashboard/leaflet/leaflet.esm.min.js"),
        refuse("GET /dashboard/leaflet/{name}", "a name of 8 kB", "/dashboard/leaflet/" + LONG),
        get("/dashboard/leaflet/images/{name}", "an image", "/dashboard/leaflet/images/layers.png"),
        refuse("GET /dashboard/leaflet/images/{name}", "a name of 8 kB", "/dashboard/leaflet/images/" + LONG[:7800]),
        get("/healthz", "answers"),
        get("/readyz", "answers"),
        get("/metrics", "all"),
        unknown("/metrics"),
        get("/openapi.json", "all"),
    ]
