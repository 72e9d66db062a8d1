import Model
import TestSupport
import Testing

@testable import History

@Suite("The words of explanations")
struct ExplanationWordsTests {
    private static let time = StepReason.Time(
        Instant("2026-05-01T11:58:30Z")!, beside: Instant("2026-05-01T12:00:00Z")!)

    @Test(
        "Count fixes in order",
        arguments: [
            (1, "first"), (2, "second"), (3, "third"), (4, "4th"), (11, "11th"), (12, "12th"), (21, "21st"), (22, "22nd"),
            (113, "113th"),
        ])
    func ordinals(_ count: Int, _ ordinal: String) {
        let reason = StepReason(.confirmed(.inside, count: count, first: Self.time, seconds: nil))
        #expect(reason.words() == "\(ordinal) position inside: confirmed, dated back to 11:58:30Z")
        #expect(reason.words(in: .turkish) == "\(count). konum içeride: doğrulandı, 11:58:30Z anına geri tarihlendi")
    }

    @Test("Write decimals as the language does")
    func decimals() {
        let reason = StepReason(.outlier(speed: 1234, most: 55.5))
        #expect(reason.words() == "implies 1,234 m/s, more than 55.5 m/s: an outlier unless the next position agrees")
        #expect(
            reason.words(in: .turkish)
                == "1.234 m/s hız gerektiriyor, en çok 55,5 m/s olabilir: sonraki konum doğrulamazsa aykırı bir ölçüm")
    }

    @Test("Name one device in the singular and two in the plural")
    func plurals() {
        let one = StepReason(.fenceForOthers(devices: ["van"], groups: ["team"]))
        #expect(one.words() == "the geofence is not for this device, but for device van and group team")
        #expect(one.words(in: .turkish) == "coğrafi sınır bu cihaz için değil; şu cihaz: van ve şu grup: team için")
        let two = StepReason(.fenceForOthers(devices: ["van", "bus"], groups: []))
        #expect(two.words() == "the geofence is not for this device, but for devices van, bus")
        #expect(two.words(in: .turkish) == "coğrafi sınır bu cihaz için değil; şu cihazlar: van, bus için")
    }
}
