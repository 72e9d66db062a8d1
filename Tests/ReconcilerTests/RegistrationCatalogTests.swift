import Model
import Reconciler
import Registry
import Testing

@Suite("The words of registrations")
struct RegistrationCatalogTests {
    typealias Samples = RegistrationSamples

    /// Fails unless every place from 0 to the last has a sample.
    private func expectEachCase(_ places: [Int], _ count: Int) {
        #expect(Set(places) == Set(0..<count))
    }

    @Test("Have a sample of each case")
    func samples() {
        expectEachCase(Samples.summaries.map(Samples.place), 13)
        expectEachCase(Samples.causes.map(Samples.place), 32)
        expectEachCase(Samples.reasons.map(Samples.place), 3)
        expectEachCase(Samples.choices.map(Samples.place), 6)
        expectEachCase(Samples.standings.map(Samples.place), 6)
    }

    @Test("Are another sentence in every language, without a full stop", arguments: [PlatformProfile.ios, .android])
    func sentences(_ profile: PlatformProfile) {
        func all(_ language: Language) -> [String] {
            let words = language.registration
            let heads = Finding.Kind.allCases.map(words.kind) + RegistryOperation.Call.Name.allCases.map(words.callName)
            let summaries = Samples.summaries.map(words.summary)
            let causes = Samples.causes.map { words.cause($0, profile) }
            let reasons = Samples.reasons.map { words.reason($0, profile) }
            let standings = Samples.standings.map { words.registrationReason($0, profile) }
            return heads + RepairReport.Step.Outcome.allCases.map(words.outcome) + summaries + causes + reasons + standings
                + [words.sentinel]
        }
        let english = all(.english)
        let turkish = all(.turkish)
        #expect(english.count == turkish.count)
        for (english, turkish) in zip(english, turkish) {
            #expect(!english.isEmpty && !turkish.isEmpty && english != turkish)
            #expect(!english.hasSuffix(".") && !english.contains("Optional(") && !turkish.contains("Optional("))
        }
        for words in [english, turkish] {
            #expect(Set(words.prefix(Finding.Kind.allCases.count)).count == Finding.Kind.allCases.count)
        }
    }

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
