import Model
import Reconciler
import Registry
import TestSupport
import Testing

@Suite("The words of registrations")
struct RegistrationWordsTests {
    @Test(
        "Have the summaries that the health of a device is known by",
        arguments: [
            (.unknown(lastReported: nil), "Unknown", "Bilinmiyor"),
            (.locationServicesDisabled, "Location services disabled", "Konum servisleri kapalı"),
            (.needsAlwaysAuthorization, "Needs 'Always' authorization", "'Her Zaman' izni gerekiyor"),
            (
                .notRegistered(count: 2, system: "iOS"), "2 geofence(s) not registered with iOS",
                "2 coğrafi sınır iOS tarafında kayıtlı değil"
            ),
            (.orphaned(count: 1, system: "Android"), "1 orphan region(s) in Android", "Android tarafında 1 sahipsiz bölge"),
            (.misregistered(count: 3, system: "iOS"), "3 region(s) wrong in iOS", "iOS tarafında 3 yanlış bölge"),
            (.noRoom(system: "iOS"), "No room for geofences in iOS", "iOS tarafında coğrafi sınırlara yer yok"),
            (.noActiveGeofences, "No active geofences", "Etkin coğrafi sınır yok"), (.healthy, "Healthy", "Sağlıklı"),
        ] as [(HealthSummary, String, String)])
    func summary(_ summary: HealthSummary, _ english: String, _ turkish: String) {
        #expect(summary.sentence() == english && summary.sentence(in: .turkish) == turkish)
    }

    @Test("Write decimals as the language does")
    func decimals() {
        #expect(Finding.Cause.otherCenter(distance: 1234).words(.ios) == "iOS watches it 1.2 km from where it should be")
        #expect(
            Finding.Cause.otherCenter(distance: 1234).words(.ios, in: .turkish)
                == "iOS onu olması gereken yerden 1,2 km uzakta izliyor")
        #expect(Finding.Cause.belowReliableRadius(radius: 30).words(.ios, in: .turkish) == "30 m yarıçapı 100 m olarak izleniyor")
    }
}
