import Model
import Testing

@Suite("Reproducible random numbers")
struct SplitMix64Tests {
    @Test("The numbers are those of the published generator")
    func published() {
        // The first numbers of the seed 1234567, from the reference program of Vigna (prng.di.unimi.it/splitmix64.c).
        var random = SplitMix64(state: 1_234_567)
        let numbers = (0..<5).map { _ in random.next() }
        #expect(
            numbers == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ])
    }

    @Test("A generator with a saved state continues the sequence")
    func state() {
        var random = SplitMix64(state: 7)
        _ = random.next()
        var restored = SplitMix64(state: random.state)
        #expect(random.next() == restored.next())
    }
}
