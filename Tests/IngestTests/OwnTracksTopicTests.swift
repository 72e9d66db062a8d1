import Ingest
import Testing

@Suite("OwnTracks topics")
struct OwnTracksTopicTests {
    @Test(
        "A topic names the user and the device",
        arguments: [
            "owntracks/jane/phone", "owntracks/jane/phone/event", "owntracks/jane/phone/waypoint",
            "owntracks/jane/phone/waypoints",
            "owntracks/jane/phone/status", "owntracks/jane/phone/dump", "owntracks/jane/phone/info", "owntracks/jane/phone/step",
            "owntracks/jane/phone/beacon", "owntracks/jane/phone/request",
        ])
    func sender(_ topic: String) {
        #expect(OwnTracksTopic.sender(of: topic) == OwnTracksSender(user: "jane", device: "phone"))
    }

    @Test(
        "A topic with other levels and a topic of commands name no device",
        arguments: [
            "", "owntracks", "owntracks/jane", "owntracks//phone", "owntracks/jane/", "owntracks/jane/phone/",
            "owntracks/jane/phone/cmd",
            "owntracks/jane/phone/event/x", "other/jane/phone", "/owntracks/jane/phone",
        ])
    func none(_ topic: String) {
        #expect(OwnTracksTopic.sender(of: topic) == nil)
    }

    @Test("The subscribed topics are exactly those that name a device")
    func filters() {
        func matches(_ filter: String, _ topic: String) -> Bool {
            let (pattern, levels) = (filter.split(separator: "/"), topic.split(separator: "/", omittingEmptySubsequences: false))
            return pattern.count == levels.count && zip(pattern, levels).allSatisfy { $0 == "+" || $0 == $1 }
        }
        for topic in ["owntracks/a/b", "owntracks/a/b/event", "owntracks/a/b/cmd", "owntracks/a/b/c/d", "owntracks/a", "x/a/b"] {
            let isSubscribed = OwnTracksTopic.filters.contains { matches($0, topic) }
            #expect(isSubscribed == (OwnTracksTopic.sender(of: topic) != nil), "\(topic)")
        }
    }
}
