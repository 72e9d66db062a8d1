import Geodesy
import Model
import Testing

/// A sequence of fixes of one device around one fence, and its expected explanation.
struct ExplanationStory: Sendable, CustomTestStringConvertible {
    var name: String
    var policy = PolicyOverride()
    var fence = fence()
    var fixes: [Seen]
    var steps: [String]
    /// The expected reason of the last step.
    var because: String
    var answer: String

    var testDescription: String { name }

    /// Seconds after ten o'clock, meters north of home, and the accuracy in meters.
    typealias Seen = (seconds: Double, north: Double, accuracy: Double?)

    static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    static func fence(_ change: (inout Geofence) -> Void = { _ in }) -> Geofence {
        var fence = Geofence(id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 100)))
        change(&fence)
        return fence
    }

    static func confirming(fixes: Int) -> PolicyOverride {
        var policy = PolicyOverride()
        policy.confirmFixes = fixes
        return policy
    }

    static let all: [ExplanationStory] = [
        ExplanationStory(
            name: "the first fix is outside", fixes: [(0, 340, 5)], steps: ["0 first unknown outside"],
            because: "nothing was known before: outside from here on",
            answer:
                "At 2026-05-01 10:00:00Z anna was not in Home: the nearest of these positions, from 10:00:00Z, was 240 m outside."
        ),
        ExplanationStory(
            name: "the first fix is inside", fixes: [(0, 20, 5)], steps: ["0 first unknown inside"],
            because: "nothing was known before: inside from here on",
            answer: "anna is in Home at 2026-05-01 10:00:00Z: nothing was known before: inside from here on."),
        ExplanationStory(
            name: "the first fix is too coarse", fixes: [(0, 20, 400)], steps: ["0 coarse unknown unknown"],
            because: "coarser than maxAccuracy 250 m, and neither certainly inside nor certainly outside at twice its accuracy: "
                + "decides nothing",
            answer:
                "At 2026-05-01 10:00:00Z it was not known whether anna was in Home: none of its positions was accurate enough yet."
        ),
        ExplanationStory(
            name: "two fixes confirm an enter", fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 confirmed entering inside"],
            because: "second position inside: confirmed, dated back to 10:00:10Z",
            answer:
                "At 2026-05-01 10:00:20Z anna was in Home; it entered at 10:00:10Z (confirmed at 10:00:20Z): second position inside: confirmed, dated back to "
                + "10:00:10Z."),
        ExplanationStory(
            name: "one fix of two", fixes: [(0, 300, 5), (10, 20, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering"],
            because: "inside: the enter is pending (1 of 2 positions)",
            answer: "At 2026-05-01 10:00:10Z anna was not in Home yet: inside: the enter is pending (1 of 2 positions)."),
        ExplanationStory(
            name: "three fixes are asked for", policy: confirming(fixes: 3),
            fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "20 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third position inside: confirmed, dated back to 10:00:10Z",
            answer:
                "At 2026-05-01 10:00:30Z anna was in Home; it entered at 10:00:10Z (confirmed at 10:00:30Z): third position inside: confirmed, dated back to "
                + "10:00:10Z."),
        ExplanationStory(
            name: "an enter is contradicted", fixes: [(0, 300, 5), (10, 20, 5), (20, 300, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 contradicted entering outside"],
            because: "outside: contradicts the pending enter, which is dropped",
            answer:
                "At 2026-05-01 10:00:20Z anna was not in Home: an enter was pending until 10:00:20Z, and then a position contradicted it."
        ),
        ExplanationStory(
            name: "a fix in the uncertain zone decides nothing", fixes: [(0, 300, 5), (10, 96, 30)],
            steps: ["0 first unknown outside", "10 uncertain outside outside"],
            because: "near the boundary: the last state holds",
            answer:
                "At 2026-05-01 10:00:10Z anna was not in Home: the nearest of these positions, from 10:00:10Z, was 4 m inside, but with "
                + "the accuracy used, a position is certainly inside only 30 m or more inside the boundary."),
        ExplanationStory(
            name: "a fix in the uncertain zone leaves what is pending", fixes: [(0, 300, 5), (10, 20, 5), (20, 96, 30)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 uncertain entering entering"],
            because: "near the boundary: neither confirms nor contradicts the pending change",
            answer:
                "At 2026-05-01 10:00:20Z anna was not in Home yet: near the boundary: neither confirms nor contradicts the pending change."
        ),
        ExplanationStory(
            name: "a coarse fix decides nothing", fixes: [(0, 300, 5), (10, 20, 300)],
            steps: ["0 first unknown outside", "10 coarse outside outside"],
            because: "coarser than maxAccuracy 250 m, and neither certainly inside nor certainly outside at twice its accuracy: "
                + "decides nothing",
            answer:
                "At 2026-05-01 10:00:10Z anna was not in Home: the nearest of these positions, from 10:00:10Z, was 80 m inside and is too coarse: coarser than "
                + "maxAccuracy 250 m, and neither certainly inside nor certainly outside at twice its accuracy: decides nothing."),
        ExplanationStory(
            name: "two fixes confirm an exit", fixes: [(0, 20, 5), (10, 300, 5), (20, 300, 5)],
            steps: ["0 first unknown inside", "10 pending inside exiting", "20 confirmed exiting outside"],
            because: "second position outside: confirmed, dated back to 10:00:10Z",
            answer:
                "At 2026-05-01 10:00:20Z anna was not in Home; it left at 10:00:10Z (confirmed at 10:00:20Z): second position outside: confirmed, dated back to "
                + "10:00:10Z."),
        ExplanationStory(
            name: "an exit is contradicted", fixes: [(0, 20, 5), (10, 300, 5), (20, 20, 5)],
            steps: ["0 first unknown inside", "10 pending inside exiting", "20 contradicted exiting inside"],
            because: "inside: contradicts the pending exit, which is dropped",
            answer:
                "At 2026-05-01 10:00:20Z anna was in Home; it was there at its first position, at 10:00:00Z: nothing was known before: inside from here on."
        ),
        ExplanationStory(
            name: "a minute without contradiction confirms", fixes: [(0, 300, 5), (10, 20, 5), (100, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "70 deadline entering inside",
                "100 holds inside inside",
            ],
            because: "it has not moved since 10:00:10Z, so the mean of its positions is used (±5 m): inside, as before",
            answer:
                "At 2026-05-01 10:01:40Z anna was in Home; it entered at 10:00:10Z (confirmed at 10:01:10Z): nothing contradicted it for 60 s: confirmed by the "
                + "deadline, dated back to 10:00:10Z."),
        ExplanationStory(
            name: "five minutes without a word are too long", fixes: [(0, 300, 5), (10, 20, 5), (60, 96, 30), (400, 300, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "60 uncertain entering entering",
                "310 dropped entering outside", "400 holds outside outside",
            ],
            because: "outside, as before",
            answer:
                "At 2026-05-01 10:06:40Z anna was not in Home: no later position confirmed or contradicted the position of 10:00:10Z for "
                + "300 s: dropped."),
        ExplanationStory(
            name: "a phone's policy waits 20 s", policy: PolicyOverride(base: .phone),
            fixes: [(0, 300, 5), (10, 20, 5), (15, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "15 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third position inside, 20 s after the first: confirmed, dated back to 10:00:10Z",
            answer:
                "At 2026-05-01 10:00:30Z anna was in Home; it entered at 10:00:10Z (confirmed at 10:00:30Z): third position inside, 20 s after the first: "
                + "confirmed, dated back to 10:00:10Z."),
        ExplanationStory(
            name: "under exact one fix is enough", policy: PolicyOverride(base: .exact), fixes: [(0, 300, 5), (10, 99, 5)],
            steps: ["0 first unknown outside", "10 confirmed outside inside"], because: "inside: sure at once",
            answer: "anna entered Home at 2026-05-01 10:00:10Z: inside: sure at once."),
        ExplanationStory(
            name: "a dwell becomes due between two fixes", policy: PolicyOverride(base: .exact),
            fence: fence { $0.dwell = 60 }, fixes: [(0, 20, 5), (100, 20, 5)],
            steps: ["0 first unknown inside", "60 dwell inside inside", "100 holds inside inside"], because: "inside, as before",
            answer:
                "At 2026-05-01 10:01:40Z anna was in Home; it was still there at 10:01:00Z: inside since 10:00:00Z: the dwell of 1 min is due."
        ),
        ExplanationStory(
            name: "a dwell becomes due at a fix", policy: PolicyOverride(base: .exact), fence: fence { $0.dwell = 60 },
            fixes: [(0, 20, 5), (60, 20, 5)], steps: ["0 first unknown inside", "60 dwell inside inside"],
            because: "inside since 10:00:00Z: the dwell of 1 min is due",
            answer: "anna was still in Home at 2026-05-01 10:01:00Z: inside since 10:00:00Z: the dwell of 1 min is due."),
        ExplanationStory(
            name: "an enter that is dated back has its dwell behind it", policy: confirming(fixes: 3),
            fence: fence { $0.dwell = 15 }, fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "20 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third position inside: confirmed, dated back to 10:00:10Z; its dwell is due too",
            answer:
                "At 2026-05-01 10:00:30Z anna was in Home; it entered at 10:00:10Z (confirmed at 10:00:30Z): third position inside: confirmed, dated back to "
                + "10:00:10Z; its dwell is due too."),
        ExplanationStory(
            name: "the geofence is not active", fence: fence { $0.isActive = false }, fixes: [(0, 300, 5), (10, 20, 5)],
            steps: ["0 inactive - -", "10 inactive - -"], because: "the geofence is not active",
            answer: "At 2026-05-01 10:00:10Z no event was possible: the geofence is not active."),
        ExplanationStory(
            name: "the fence is for others",
            fence: fence {
                $0.devices = ["ben", "cem"]
                $0.groups = ["team"]
            }, fixes: [(0, 20, 5)], steps: ["0 notForDevice - -"],
            because: "the geofence is not for this device, but for devices ben, cem and group team",
            answer:
                "At 2026-05-01 10:00:00Z no event was possible: the geofence is not for this device, but for devices ben, cem and group team."
        ),
    ]
}
