"""The tracks of the sample data: which device moves where, when and how. Times are UTC; in May Berlin is two hours ahead."""

import random
from typing import Dict, List, NamedTuple, Tuple

import places
import routes
from motion import Go, Stay, Step, Trip, Until, Wander


class Track(NamedTuple):
    """A file in data/tracks. A GPX track has one trip, whose device has the name of the file."""

    file: str
    story: str
    trips: List[Trip]

    @property
    def name(self) -> str:
        return self.file.rsplit(".", 1)[0]


def tracks(seed: str) -> List[Track]:
    """Returns all tracks in order of their file names."""
    made = [
        _family_day(), _fleet_morning(seed), _commuter_day(), _student_nights(), _night_at_home(), _match_day(),
        *_public_transport(), _underground(), *_vans_and_cars(), *_bikes(), *_odd(), *_walks(), *_runs(), *_water(),
    ]
    return sorted(made, key=lambda track: track.file)


def devices() -> List[Dict[str, object]]:
    """Returns the devices of data/devices.json: those with a name, a group or a platform."""
    rows: List[Tuple[str, str, str, str]] = [
        ("anna-phone", "Anna’s phone", "family", "ios"),
        ("ben-phone", "Ben’s phone", "family", "android"),
        ("mia-watch", "Mia’s watch", "family", ""),
        ("car", "The car", "family", ""),
        ("dog-tracker", "The dog", "family", ""),
        ("nina-phone", "Nina’s phone", "", "ios"),
        ("clara-phone", "Clara’s phone", "", "ios"),
        ("student-phone", "A student’s phone", "", "android"),
        *((_van(number), f"Van {number}", "fleet", "") for number in range(1, 13)),
        ("van-parcels", "Parcel van", "fleet", ""),
    ]
    return [
        {"id": id, "name": name, "groups": [group] if group else [], **({"platform": platform} if platform else {})}
        for id, name, group, platform in rows
    ]


def _van(number: int) -> str:
    return f"van-{number:02}"


def _gpx(name: str, story: str, start: str, place: str, steps: List[Step], accuracy: float = 5.0) -> Track:
    return Track(f"{name}.gpx", story, [Trip(name, start, place, steps, accuracy)])


# The family


def _family_day() -> Track:
    trips = [_anna(), _ben(), _mia(), _car(), _dog()]
    return Track("family-day.csv", "A family’s Tuesday: Anna, Ben, Mia, the car and the dog", trips)


FAMILY_START = "2026-05-12T05:00:00Z"


def _anna() -> Trip:
    """Anna takes Mia to school, takes the U2 to the office, has lunch outside, and goes home."""
    return Trip("anna-phone", FAMILY_START, "home-anna", [
        Until("05:24", 120), Go(routes.HOME_ANNA_TO_SCHOOL, 4.3, 10), Stay(3, 30),
        Go("kollwitzplatz senefelderplatz", 5, 10), Stay(3, 20),
        Go("rosa-luxemburg-platz alexanderplatz maerkisches-museum-u", 32, 10, halt=30, silent=True), Stay(1, 15),
        Go("office", 5, 10), Until("11:00", 120),
        Go("52.5110,13.4062 52.5122,13.4065", 4.5, 10), Stay(12, 30), Go(routes.ANNA_BENCH, 4.5, 10), Stay(9, 15, 1.6),
        Go("office", 4, 10), Until("14:35", 120), Go("maerkisches-museum-u", 5, 10), Stay(3, 20),
        Go("alexanderplatz rosa-luxemburg-platz senefelderplatz", 32, 10, halt=30, silent=True), Stay(1, 15),
        Go(routes.SENEFELDERPLATZ_TO_HOME_ANNA, 5, 10), Until("18:00", 120),
    ])


def _ben() -> Trip:
    """Ben cycles to work and back, then drives to football and takes Mia home."""
    return Trip("ben-phone", FAMILY_START, "home-ben", [
        Until("05:40", 120), Go(routes.HOME_BEN_TO_WORK, 17, 5, lights=0.6), Until("11:30", 120),
        Go(routes.BEN_CAFE, 4, 10), Stay(12, 15, 1.6), Go("office-ben", 4, 10), Until("12:20", 120),
        Go(routes.WORK_TO_HOME_BEN, 17, 5, lights=0.6), Until("14:44", 120), Go(routes.BEN_PARKING, 4, 10),
        Go(routes.HOME_BEN_TO_FOOTBALL, 26, 5), Until("15:10", 30), Go(routes.FOOTBALL_TO_HOME_ANNA, 24, 5), Until("15:22", 30),
        Go(routes.HOME_ANNA_TO_PARKING, 28, 5), Go("home-ben", 4, 10), Until("18:00", 120),
    ], accuracy=6)


def _mia() -> Trip:
    """Mia goes to school, then to football with a friend, and home by car."""
    return Trip("mia-watch", FAMILY_START, "home-anna", [
        Until("05:24", 120), Go(routes.HOME_ANNA_TO_SCHOOL, 4.3, 10), Until("13:20", 180),
        Go(routes.SCHOOL_TO_FOOTBALL, 4.5, 10), Wander(75, 40, 5, 60), Until("15:10", 30),
        Go(routes.FOOTBALL_TO_HOME_ANNA, 24, 10), Until("18:00", 180),
    ], accuracy=8)


def _car() -> Trip:
    """The car is parked near the boundary of the home's geofence, where some fixes lie outside."""
    return Trip("car", FAMILY_START, routes.BEN_PARKING, [
        Until("14:40", 600), Until("14:45", 15), Go(routes.HOME_BEN_TO_FOOTBALL, 26, 5), Until("15:10", 30),
        Go(routes.FOOTBALL_TO_HOME_ANNA, 24, 5), Until("15:22", 30), Go(routes.HOME_ANNA_TO_PARKING, 28, 5), Stay(6, 15),
        Until("18:00", 600),
    ], accuracy=6, battery=None)


def _dog() -> Trip:
    """The dog walks to the meadow in the park, stays in the hedge at its boundary, and chases a squirrel."""
    return Trip("dog-tracker", FAMILY_START, "home-anna", [
        Until("08:30", 300), Go(routes.HOME_ANNA_TO_MEADOW, 4.6, 10), Wander(22, 40), Go(routes.DOG_HEDGE, 3, 10),
        Stay(5, 10, 1.4), Go("dog-run 52.5275,13.4340 52.5268,13.4330", 14, 5), Stay(1, 10), Go("dog-run", 9, 5),
        Wander(14, 40), Go(routes.MEADOW_TO_HOME_ANNA, 4.6, 10), Until("18:00", 300),
    ], accuracy=7, battery=0.8)


# Other people's days


def _commuter_day() -> Track:
    steps: List[Step] = [
        Until("05:30", 60, 2), Go("pankow", 5, 10), Stay(4, 20),
        Go("52.5596,13.4135 schoenhauser-allee eberswalder-strasse senefelderplatz", 33, 10, halt=30),
        Go("rosa-luxemburg-platz alexanderplatz klosterstrasse stadtmitte potsdamer-platz", 32, 10, halt=30, silent=True),
        Go("52.5045,13.3700 office-clara", 5, 10), Until("10:30", 60, 2.5),
        Go("52.4990,13.3690 park-am-gleisdreieck", 5, 10), Wander(25, 120), Go("52.4990,13.3690 office-clara", 5, 10),
        Until("15:15", 60, 2.5), Go("gleisdreieck", 5, 10), Stay(4, 20), Go("52.5037,13.3747", 33, 10),
        Go("potsdamer-platz stadtmitte spittelmarkt alexanderplatz rosa-luxemburg-platz", 32, 10, halt=30, silent=True),
        Go("senefelderplatz eberswalder-strasse schoenhauser-allee 52.5596,13.4135 pankow", 33, 10, halt=30),
        Go("home-clara", 5, 10), Until("18:00", 60, 2),
    ]
    story = "Home in Pankow, an office near Potsdamer Platz, the U2 between them, and long still hours"
    trip = Trip("clara-phone", "2026-05-07T05:00:00Z", "home-clara", steps, wild=0.001)
    return Track("commuter-day.csv", story, [trip])


def _student_nights() -> Track:
    steps: List[Step] = [
        Until("07:00", 60, 2), Go("52.4540,13.2930 freie-universitaet", 5, 10), Until("10:00", 60, 2.5),
        Go("dahlem-dorf", 5, 10), Wander(20, 60), Go("freie-universitaet", 5, 10), Until("14:00", 60, 2.5),
        Go("botanischer-garten", 12, 5), Wander(60, 250), Go("home-student", 12, 5),
        Until("06:50", 120, 2),  # on: the dwell of eight hours is reported in the first night
        Go("52.4540,13.2930 freie-universitaet", 5, 10), Until("13:00", 120, 2.5),
        Go("botanischer-garten", 12, 5), Wander(30, 150), Go("freie-universitaet", 12, 5), Until("19:40", 120, 2.5),
        Go("52.4540,13.2930 home-student", 5, 10), Stay(8, 60, 2),
        Until("05:30", 60, silent=True),  # off: there are no fixes in the second night
        Stay(20, 60, 2), Go("dahlem-dorf", 5, 10), Stay(5, 30),
    ]
    story = "Two nights at home: the phone is on in the first and switched off in the second"
    return Track("student-nights.csv", story, [Trip("student-phone", "2026-05-18T06:30:00Z", "home-student", steps)])


def _night_at_home() -> Track:
    story = "A phone asleep near the edge of its home’s fence: it never moves"
    trip = Trip("nina-phone", "2026-05-08T20:00:00Z", routes.NINA_BED, [Stay(540, 30)], accuracy=8, memory=260)
    return Track("night-at-home.csv", story, [trip])


def _match_day() -> Track:
    steps: List[Step] = [
        Stay(4, 15), Go("rummelsburg 52.4938,13.4978 karlshorst 52.4686,13.5543 koepenick", 45, 10, halt=30), Stay(5, 15),
        Go("52.4600,13.5760 52.4568,13.5740", 4.5, 10), Stay(12, 10, 2), Go("alte-foersterei", 3, 10), Stay(125, 30, 1.5),
        Go("52.4568,13.5740 52.4600,13.5760 koepenick", 3.5, 10), Stay(14, 15, 2),
        Go("52.4686,13.5543 karlshorst 52.4938,13.4978 rummelsburg ostkreuz", 45, 10, halt=30), Stay(3, 15),
    ]
    story = "By S3 to a match at the Alte Försterei, among 22,000 others"
    trip = Trip("fan-phone", "2026-05-16T11:00:00Z", "ostkreuz", steps, accuracy=8, wild=0.001)
    return Track("match-day.csv", story, [trip])


# The fleet


def _fleet_morning(seed: str) -> Track:
    """Twelve vans leave the depot one after the other, and each visits eight stops nearby."""
    kinds = {"shop", "stage", "museum", "hospital", "university", "square", "sport"}
    stops = [place for place in places.circles() if place.kind in kinds]
    rng = random.Random(f"{seed}/rounds")
    trips = []
    for number in range(1, 13):
        steps: List[Step] = [Stay(2 + 4 * number, 60), *_round(stops, rng)]
        if number in (4, 9):
            steps += [Go("charging-park", 30, 15), Stay(25, 60)]
        steps += [Go("depot", 32, 15, lights=0.5), Stay(12, 60)]
        trips.append(Trip(_van(number), "2026-05-06T05:00:00Z", "depot", steps, accuracy=6, wild=0.002, battery=None))
    return Track("fleet-morning.csv", "Twelve vans on their rounds", trips)


def _round(stops: List[places.Place], rng: random.Random) -> List[Step]:
    """Returns a route on which each stop is one of those nearest to the previous stop, and is reached with one turn."""
    steps: List[Step] = []
    here, left = (52.5395, 13.3370), list(stops)
    for _ in range(8):
        left.sort(key=lambda place: (abs(place.latitude - here[0]) * 1.6 + abs(place.longitude - here[1]), place.id))
        stop = left.pop(int(2 + rng.random() * 14))
        corner = (here[0], stop.longitude) if rng.random() < 0.5 else (stop.latitude, here[1])
        steps += [Go(f"{corner[0]:.4f},{corner[1]:.4f} {stop.id}", 26, 15, lights=0.8), Stay(3 + 6 * rng.random(), 30)]
        here = stop.latitude, stop.longitude
    return steps


def _errands(stops: str, kmh: float, every: int, lights: float, stay: Stay) -> List[Step]:
    """Returns the steps to visit the stops in order and to stay at each of them."""
    return [step for stop in stops.split() for step in (Go(stop, kmh, every, lights=lights), stay)]


# Public transport


def _public_transport() -> List[Track]:
    ring = [Stay(3, 10), Go(routes.RINGBAHN, 42, 5, halt=30), Stay(3, 10)]
    bus = [Stay(5, 10), Go(routes.BUS_100, 24, 5, halt=20, lights=0.5), Stay(4, 10)]
    tram: List[Step] = [Stay(6, 10), Go(routes.TRAM_M10, 22, 5, halt=20, lights=0.4), Stay(3, 10)]
    return [
        Track("ringbahn-s41.csv", "Once round the ring on the S41",
              [Trip("s41-rider", "2026-05-09T08:00:00Z", "halensee", ring, accuracy=6)]),
        Track("bus-100.csv", "The bus line 100 past the sights",
              [Trip("bus-100", "2026-05-10T09:00:00Z", "zoologischer-garten", bus, accuracy=6, battery=None)]),
        _gpx("tram-m10", "The tram M10 from the main station to Warschauer Straße", "2026-05-10T16:00:00Z",
             "hauptbahnhof", tram),
    ]


def _underground() -> Track:
    steps: List[Step] = [Stay(3, 15)]
    for way in ("52.5538,13.3800 gesundbrunnen", "52.5416,13.3930 bernauer-strasse", "rosenthaler-platz",
                "52.5255,13.4057 alexanderplatz", "jannowitzbruecke heinrich-heine-strasse", "moritzplatz", "kottbusser-tor",
                "52.4932,13.4224 hermannplatz", "boddinstrasse 52.4729,13.4284 hermannstrasse"):
        steps += [Go(way, 32, 10, halt=20, silent=True), Stay(1.5, 10, 3)]
    steps += [Stay(4, 15), Go("52.4690,13.4290 52.4725,13.4200 52.4725,13.4150", 4.5, 10), Stay(14, 30)]
    story = "The U8: fixes at some stations, nothing between, then a walk on the Tempelhofer Feld"
    return Track("underground-u8.csv", story, [Trip("u8-rider", "2026-05-09T12:00:00Z", "osloer-strasse", steps, accuracy=9)])


# On wheels


def _vans_and_cars() -> List[Track]:
    parcels = [
        Stay(15, 60), *_errands(routes.PARCEL_STOPS, 24, 10, 0.8, Stay(4, 30)), Go("garage-sued", 30, 10, lights=0.5),
        Stay(40, 60), Go("depot", 34, 10, lights=0.4), Stay(12, 60),
    ]
    taxi = [
        Stay(5, 15), Go(routes.MOABIT_TO_BER, 52, 5, lights=0.1), Stay(22, 30), Go(routes.BER_TO_ZOO, 50, 5, lights=0.2),
        Stay(5, 15),
    ]
    avus: List[Step] = [
        Stay(2, 5), Go("52.4180,13.1200 52.4220,13.1500", 60, 2), Go(routes.AVUS, 100, 2),
        Go("messe-nord kaiserdamm schloss-charlottenburg", 40, 2), Stay(3, 10),
    ]
    tunnel: List[Step] = [
        Stay(1, 5), Go(routes.A100, 70, 2), Go("52.4580,13.4450 52.4500,13.4560", 72, 2, silent=True),
        Go("klinikum-neukoelln 52.4330,13.4800 rudow", 60, 2), Stay(2, 10),
    ]
    return [
        Track("parcel-van.csv", "A parcel van: fifteen stops, the workshop and the depot",
              [Trip("van-parcels", "2026-05-11T05:30:00Z", "depot", parcels, accuracy=6, battery=None)]),
        Track("taxi-to-airport.csv", "A taxi from Moabit to the airport BER and back to the Zoo",
              [Trip("taxi-2407", "2026-05-13T03:40:00Z", "turmstrasse", taxi, wild=0.003, battery=None)]),
        _gpx("drive-avus", "The AVUS from Glienicke to the Funkturm at 100 km/h", "2026-05-14T17:00:00Z",
             "glienicker-bruecke", avus),
        _gpx("drive-tunnel", "The motorway A100 and its tunnel under Britz, where nothing is heard",
             "2026-05-14T19:00:00Z", "messe-nord", tunnel),
    ]


def _bikes() -> List[Track]:
    scooter = [
        Stay(2, 5), Go("savignyplatz uhlandstrasse kurfuerstendamm breitscheidplatz", 18, 4), Stay(3, 10),
        Go("kadewe nollendorfplatz winterfeldtplatz viktoria-luise-platz", 18, 4), Stay(12, 20),
    ]
    courier = [Stay(4, 10), *_errands(routes.COURIER_STOPS, 21, 5, 1.2, Stay(2.5, 10, 1.5))]
    return [
        _gpx("bike-wall-trail", "Along the Wall from Wollankstraße to Treptow", "2026-05-25T09:00:00Z", "52.5652,13.3924",
             [Stay(2, 5), Go(routes.WALL_TRAIL, 15, 5), Stay(4, 10)]),
        _gpx("bike-wannsee", "To the beach at the Wannsee", "2026-05-30T10:00:00Z", "savignyplatz",
             [Stay(2, 5), Go(routes.TO_THE_WANNSEE, 19, 8), Stay(20, 20)]),
        _gpx("bike-northwest", "Olympiastadion, Spandau and its citadel, and back through the Jungfernheide",
             "2026-05-23T13:00:00Z", "theodor-heuss-platz", [Stay(2, 5), Go(routes.NORTHWEST, 17, 6, lights=0.3), Stay(5, 10)]),
        Track("courier-bike.csv", "A courier’s fourteen errands downtown, where reception is bad",
              [Trip("courier-7", "2026-05-20T08:00:00Z", "anhalter-bahnhof", courier, accuracy=8, wild=0.004)]),
        Track("scooter-rental.csv", "A hired scooter in the west",
              [Trip("scooter-1189", "2026-05-21T18:00:00Z", "charlottenburg", scooter, accuracy=6, battery=0.55)]),
    ]


# Deliberately unusual tracks


def _odd() -> List[Track]:
    first = [
        Stay(3, 10), Go(routes.FRIEDRICHSHAIN_ERRAND, 5, 10), Stay(5, 15), Go("east-side-gallery ostbahnhof", 5, 10),
        Stay(8, 20),
    ]
    second = [Stay(3, 10), Go(routes.KREUZBERG_ERRAND, 15, 5), Stay(6, 15)]
    jumps = [Stay(4, 5), Go(routes.STROLL, 4.8, 5), Wander(10, 100, every=5), Stay(4, 5)]
    return [
        Track("wild-jumps.csv", "A walk whose receiver jumps 1 to 40 km away now and then, and mostly lies about it",
              [Trip("jumpy-phone", "2026-05-15T10:00:00Z", "brandenburger-tor", jumps, wild=0.02, lies=0.6)]),
        Track("messy-uploads.csv", "Two phones that upload in pieces: late, out of order, and some of it twice",
              [Trip("field-phone-1", "2026-05-16T08:00:00Z", "oranienplatz", first),
               Trip("field-phone-2", "2026-05-16T08:04:00.250Z", "marheinekeplatz", second)]),
    ]


# On foot


def _walks() -> List[Track]:
    museums: List[Step] = [Stay(4, 10), *_errands(
        "bode-museum alte-nationalgalerie neues-museum altes-museum humboldt-forum", 4, 10, 0, Stay(18, 20, 3))]
    zoo: List[Step] = [
        Stay(5, 10), Go("zoo", 4, 10), Wander(70, 230, 3, 10), Go("breitscheidplatz kadewe", 4, 10), Stay(15, 20, 3),
        Go("wittenbergplatz", 4, 10), Stay(3, 10),
    ]
    return [
        _gpx("walk-unter-den-linden", "From the Siegessäule to the cathedral", "2026-05-02T09:00:00Z", "grosser-stern",
             [Stay(5, 5), Go(routes.UNTER_DEN_LINDEN, 5, 5), Stay(3, 10)]),
        _gpx("walk-kreuzberg", "Across Kreuzberg on a Friday evening", "2026-05-01T15:30:00Z", "platz-der-luftbruecke",
             [Stay(2, 5), Go(routes.KREUZBERG, 5.2, 5), Stay(6, 15)]),
        _gpx("hike-grunewald", "From S Grunewald over the Teufelsberg to the Schlachtensee, with a swim",
             "2026-05-03T08:00:00Z", "grunewald", [Stay(3, 10), Go(routes.GRUNEWALD, 5.4, 15), Stay(5, 15)], accuracy=8),
        _gpx("museum-day", "Five museums with thick walls", "2026-05-17T08:30:00Z", "friedrichstrasse",
             [*museums, Go("hackescher-markt", 4.5, 10), Stay(5, 15)], accuracy=7),
        _gpx("zoo-visit", "A slow morning among the animals", "2026-05-23T08:00:00Z", "zoologischer-garten", zoo),
        _gpx("oberbaum-walk", "A logger of 2004 that writes GPX 1.0, with speed and course", "2026-05-05T11:00:00Z",
             "treptower-park", [Stay(3, 10), Go(routes.EASTERN_SPREE, 5, 10), Stay(5, 15)], accuracy=9),
    ]


def _runs() -> List[Track]:
    tiergarten: List[Step] = [Stay(2, 5), Go(routes.TIERGARTEN_LAP * 3 + "schloss-bellevue", 10.5, 4), Stay(2, 5)]
    gate = " 52.4765,13.3870 "
    tempelhof = [
        Stay(2, 5), Go(gate + " ".join([routes.TEMPELHOF_LAP] * 3) + gate + "platz-der-luftbruecke", 11, 4), Stay(2, 5),
    ]
    return [
        _gpx("run-tiergarten", "Three laps in the Tiergarten, through the hole that is the Großer Stern",
             "2026-05-04T04:30:00Z", "schloss-bellevue", tiergarten),
        Track("run-tempelhof.csv", "Laps on the Tempelhofer Feld, across the meadow where nobody may go",
              [Trip("runner", "2026-05-04T16:00:00Z", "platz-der-luftbruecke", tempelhof, accuracy=4)]),
        _gpx("marathon", "A marathon’s course, every ten seconds", "2026-05-24T07:15:00Z", "52.5152,13.3650",
             [Stay(3, 10), Go(routes.MARATHON, 11.5, 10), Stay(8, 10)]),
    ]


# On the water


def _water() -> List[Track]:
    spree = [Stay(6, 10), Go(routes.SPREE, 9, 8), Stay(4, 10)]
    lakes: List[Step] = [
        Stay(3, 10), Go("52.5030,13.2870", 4, 10), Go(routes.LIETZENSEE, 3.5, 10), Go("52.5030,13.2860", 4, 10),
        Go("52.5100,13.2900 52.5305,13.3003 52.5420,13.3270 52.5445,13.3265", 30, 10),
        Go("52.5445,13.3293 52.5446,13.3320", 2.5, 10),
        Go("leopoldplatz osloer-strasse bornholmer-strasse 52.5545,13.4600", 30, 10),
        Go("52.5540,13.4640 52.5540,13.4680", 2.5, 10),
    ]
    return [
        Track("boat-spree.csv", "A sightseeing boat on the Spree",
              [Trip("boat-spree", "2026-05-22T12:00:00Z", "berliner-dom", spree, battery=None)]),
        _gpx("three-lakes", "Both halves of the Lietzensee in a pedal boat, then a swim each in Plötzensee and Weißer See",
             "2026-05-28T12:00:00Z", "sophie-charlotte-platz", lakes),
        _gpx("kayak-tegeler-see", "A kayak across the Tegeler See, landing on its islands, which are holes",
             "2026-05-31T09:00:00Z", "alt-tegel",
             [Stay(5, 10), Go(routes.TEGELER_SEE, 6, 10), Stay(5, 10), Go("alt-tegel", 5, 10)], accuracy=4),
        _gpx("sail-mueggelsee", "Tacking on the Müggelsee", "2026-05-31T13:00:00Z", "friedrichshagen",
             [Stay(4, 10), Go(routes.MUEGGELSEE, 9, 10), Stay(3, 10)], accuracy=4),
    ]
