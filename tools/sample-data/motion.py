"""Simulates how a device moves, and which positions its receiver reports."""

import math
import random
from typing import Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from fences import meters_per_degree

NORTH, EAST = meters_per_degree(52.51)  # meters per degree; Berlin is small enough for one value
# The centers (latitude, longitude) of areas with tall buildings.
CROWDED = [(52.5215, 13.4112), (52.5203, 13.3870), (52.5095, 13.3764), (52.5050, 13.3335)]  # bad reception
CROWDED_RADIUS = 450.0  # meters


class Go(NamedTuple):
    """The device moves from its current position along waypoints (ids of places, or `latitude,longitude`)."""

    route: str
    kmh: float
    every: int = 5  # seconds between fixes
    halt: int = 0  # seconds at each waypoint
    lights: float = 0.0  # red lights per kilometer
    silent: bool = False  # in a tunnel: the device moves but reports no fixes


class Stay(NamedTuple):
    """The device stays in one place."""

    minutes: float
    every: int = 60
    blur: float = 1.0  # the factor by which the accuracy is worse; 3 indoors
    silent: bool = False


class Until(NamedTuple):
    """The device stays in one place until the given time (UTC, `HH:MM`, the next occurrence)."""

    clock: str
    every: int = 60
    blur: float = 1.0
    silent: bool = False


class Wander(NamedTuple):
    """The device moves back and forth within `radius` meters of its current position, and returns to it."""

    minutes: float
    radius: float
    kmh: float = 3.5
    every: int = 10


Step = Union[Go, Stay, Until, Wander]


class Trip(NamedTuple):
    """The movement of one device in one file."""

    device: str
    start: str  # RFC 3339
    place: str
    steps: Sequence[Step]
    accuracy: float = 5.0  # of a good fix in meters
    memory: float = 45.0  # correlation time of the error in seconds
    wild: float = 0.0  # share of outliers among the fixes
    lies: float = 0.5  # share of outliers that state a good accuracy
    battery: Optional[float] = 0.92


class Truth(NamedTuple):
    """The true position of the device."""

    at: float  # seconds since the start of the trip
    latitude: float
    longitude: float
    speed: float
    course: Optional[float]
    blur: float
    silent: bool


class Fix(NamedTuple):
    """The fix that the device reports."""

    device: str
    milliseconds: int
    latitude: float
    longitude: float
    accuracy: int
    speed: float
    course: Optional[int]
    battery: Optional[float]


def normal(rng: random.Random) -> float:
    """Returns a normally distributed number (Box–Muller transform). Uses only `random()`, because Python does not guarantee that the other
    methods return the same numbers in all versions."""
    return math.sqrt(-2 * math.log(1 - rng.random())) * math.cos(2 * math.pi * rng.random())


class Drift:
    """A Gauss–Markov process with mean 0, standard deviation 1 and a correlation time of `memory` seconds."""

    def __init__(self, rng: random.Random, memory: float) -> None:
        self._rng = rng
        self._memory = memory
        self.value = normal(rng)

    def step(self, seconds: float) -> float:
        keep = math.exp(-seconds / self._memory)
        self.value = keep * self.value + math.sqrt(1 - keep * keep) * normal(self._rng)
        return self.value


class Mover:
    """Simulates the steps of a trip and yields the true position at the time of each fix."""

    def __init__(self, trip: Trip, locate: Callable[[str], Tuple[float, float]], rng: random.Random) -> None:
        self._trip = trip
        self._locate = locate
        self._rng = rng
        self._pace = Drift(rng, 60)
        self._at = 0.0
        self._here = locate(trip.place)

    def truths(self) -> Iterator[Truth]:
        yield self._still(1.0, False)
        for step in self._trip.steps:
            if isinstance(step, Go):
                for waypoint in step.route.split():
                    yield from self._leg(self._locate(waypoint), step)
                    yield from self._wait(step.halt, step.every, 1.0, step.silent)
            elif isinstance(step, Stay):
                yield from self._wait(step.minutes * 60, step.every, step.blur, step.silent)
            elif isinstance(step, Until):
                yield from self._wait(self._seconds_until(step.clock), step.every, step.blur, step.silent)
            else:
                yield from self._wander(step)

    def _still(self, blur: float, silent: bool) -> Truth:
        return Truth(self._at, *self._here, 0.0, None, blur, silent)

    def _wait(self, seconds: float, every: int, blur: float, silent: bool) -> Iterator[Truth]:
        until = self._at + seconds
        while self._at + every <= until:
            self._at += every
            yield self._still(blur, silent)

    def _seconds_until(self, clock: str) -> float:
        began, ends = (int(time[:2]) * 3600 + int(time[3:5]) * 60 for time in (self._trip.start[11:16], clock))
        return (ends - began - self._at) % 86_400

    def _leg(self, target: Tuple[float, float], go: Go) -> Iterator[Truth]:
        start = self._here
        north, east = (target[0] - start[0]) * NORTH, (target[1] - start[1]) * EAST
        length = math.hypot(north, east)
        course = math.degrees(math.atan2(east, north)) % 360
        done = 0.0
        while done < length:
            if self._rng.random() < go.lights * go.kmh / 3600 * go.every:
                yield from self._wait(10 + 30 * self._rng.random(), go.every, 1.0, go.silent)
            speed = go.kmh / 3.6 * max(0.4, 1 + 0.15 * self._pace.step(go.every))
            done += speed * go.every
            share = min(1.0, done / length)
            self._here = start[0] + share * (target[0] - start[0]), start[1] + share * (target[1] - start[1])
            self._at += go.every
            yield Truth(self._at, *self._here, speed, course, 1.0, go.silent)

    def _wander(self, wander: Wander) -> Iterator[Truth]:
        center, until = self._here, self._at + wander.minutes * 60
        go = Go("", wander.kmh, wander.every)
        while self._at < until:
            angle, reach = 2 * math.pi * self._rng.random(), wander.radius * math.sqrt(self._rng.random())
            target = center[0] + reach * math.cos(angle) / NORTH, center[1] + reach * math.sin(angle) / EAST
            yield from self._leg(target, go)
        yield from self._leg(center, go)


class Receiver:
    """Converts the true positions of a device to the fixes that it reports."""

    def __init__(self, trip: Trip, start: int, rng: random.Random) -> None:
        self._trip = trip
        self._start = start
        self._rng = rng
        self._north, self._east = Drift(rng, trip.memory), Drift(rng, trip.memory)
        self._quality = Drift(rng, 40)
        self._last = 0.0

    def fix(self, truth: Truth) -> Fix:
        seconds, self._last = truth.at - self._last, truth.at
        blur = truth.blur * (2.2 if _is_crowded(truth.latitude, truth.longitude) else 1.0)
        accuracy = min(60.0, max(3.0, self._trip.accuracy * blur * math.exp(0.3 * self._quality.step(seconds))))
        spread = accuracy / 1.515  # the standard deviation of one axis, if 68 % of the fixes lie within the accuracy
        north, east = spread * self._north.step(seconds), spread * self._east.step(seconds)
        if self._rng.random() < self._trip.wild:
            north, east, accuracy = self._jump(accuracy)
        return Fix(
            self._trip.device,
            self._start + round(truth.at * 1000),
            truth.latitude + north / NORTH,
            truth.longitude + east / EAST,
            round(accuracy),
            round(max(0.0, truth.speed + 0.2 * normal(self._rng)), 1) if truth.speed else 0.0,
            None if truth.course is None else round(truth.course + 4 * normal(self._rng)) % 360,
            self._battery(truth.at),
        )

    def _jump(self, accuracy: float) -> Tuple[float, float, float]:
        """Returns the offset of an outlier, 1 to 40 km away, and the accuracy that the device states: either its usual one or a bad one."""
        distance = 1000 * 40 ** self._rng.random()
        angle = 2 * math.pi * self._rng.random()
        lie = self._rng.random() < self._trip.lies
        return distance * math.cos(angle), distance * math.sin(angle), accuracy if lie else 300 + 2000 * self._rng.random()

    def _battery(self, at: float) -> Optional[float]:
        if self._trip.battery is None:
            return None
        return round(max(0.05, self._trip.battery - at / 3600 * 0.035), 2)


def _is_crowded(latitude: float, longitude: float) -> bool:
    return any(math.hypot((latitude - y) * NORTH, (longitude - x) * EAST) < CROWDED_RADIUS for y, x in CROWDED)


def record(trip: Trip, start: int, locate: Callable[[str], Tuple[float, float]], rng: random.Random) -> List[Fix]:
    """Returns all fixes that a device reports on a trip."""
    receiver = Receiver(trip, start, rng)
    fixes = []
    for truth in Mover(trip, locate, rng).truths():
        fix = receiver.fix(truth)
        if not truth.silent:
            fixes.append(fix)
    return fixes
