import Model

/// The Turkish texts about the comparison of a log with a track.
struct TurkishComparison: ComparisonCatalog {
    var title: String { "Uygulamaya bildirilen geçişler" }
    var geofence: String { "Coğrafi sınır" }
    var byGeofence: String { "Coğrafi sınıra göre" }
    var happened: String { "Gerçekleşen" }
    var told: String { "Bildirilen" }
    var median: String { "Ortanca" }
    var worst: String { "En kötü" }
    var missed: String { "Kaçan" }
    var falseReports: String { "Yanlış" }
    var faults: String { "Kaçanlar ve yanlışlar" }

    func toldLate(_ duration: String) -> String { "\(duration) geç bildirildi" }

    func more(_ count: Int) -> String { "… ve \(count.grouped(by: ".")) tane daha; --json hepsini gösterir" }

    func name(_ kind: TransitionKind, _ outcome: ComparedTransition.Outcome) -> String {
        let what =
            switch kind {
            case .enter: "giriş"
            case .exit: "çıkış"
            case .dwell: "kalış"
            }
        return switch outcome {
        case .told: "bildirilen \(what)"
        case .missed: "kaçan \(what)"
        case .false: "yanlış \(what)"
        }
    }

    func name(_ reason: ComparedTransition.Reason) -> String {
        switch reason {
        case .locationOff: "konum kapalı"
        case .authorization: "izin"
        case .orphanedIdentifier: "sahipsiz tanımlayıcı"
        case .notRegistered: "kayıtlı değil"
        case .drifted: "kaymış"
        case .notificationOff: "bildirim kapalı"
        case .throttled: "geciktirilmiş"
        case .duplicate: "yineleme"
        case .nearBoundary: "sınıra yakın"
        case .logGap: "günlükte boşluk"
        case .trackGap: "izde boşluk"
        case .unexplained: "açıklanamıyor"
        }
    }

    func explanation(
        _ transition: ComparedTransition, reason: ComparedTransition.Reason, in words: ComparisonWords
    ) -> String? {
        let shown = transition.evidence
        let since = shown.since.map { " (\(words.time($0)) itibarıyla)" } ?? ""
        switch reason {
        case .locationOff: return "konum servisleri kapalı\(since)"
        case .authorization:
            if shown.isImprecise == true { return "uygulama yalnızca yaklaşık konumu biliyor\(since)" }
            return "izin '\(shown.authorization?.rawValue ?? "")'\(since); bölgeler arka planda yalnızca 'always' izniyle izlenir"
        case .orphanedIdentifier:
            let id = "'\(words.shown(shown.identifier ?? ""))'"
            return transition.outcome == .false
                ? "hiçbir coğrafi sınır \(id) tanımlayıcısını taşımıyor"
                : "\(words.platform) onu \(id) adıyla izliyor, ama hiçbir coğrafi sınır bu tanımlayıcıyı taşımıyor"
        case .notRegistered:
            var text =
                switch (shown.since, shown.until) {
                case (let since?, let until?): "bölgesi \(words.time(since)) listesinde var, \(words.time(until)) listesinde yok"
                case (nil, let until?): "bölgesi \(words.time(until)) listesinde artık yok"
                case (let since?, nil): "bölgesi \(words.time(since)) listesinde yok"
                case (nil, nil): "bölgesi anlık görüntüde yok"
                }
            if let slots = shown.slots { text += "; liste dolu (\(slots) bölge)" }
            if let error = shown.error { text += "; \(words.platform) reddetti: \(error)" }
            return text
        case .drifted:
            let parts = [
                shown.distance.map { "olması gereken yerden \(words.length($0)) uzakta" },
                shown.radius.map { "\(words.length($0)) yarıçapla" },
            ].compactMap { $0 }
            return "\(words.platform) onu \(parts.joined(separator: " ve ")) izliyor"
        case .notificationOff: return "bölge bu bildirim olmadan kayıtlı"
        case .throttled:
            if let error = shown.error { return "\(words.platform) gecikti: \(error)" }
            if let duration = shown.duration {
                return "sonraki geçiş \(words.duration(duration)) sonra geldi; \(words.platform) bu kadar erken bildirmez"
            }
            return transition.toldAt == nil ? nil : "bölgesi kayıtlıydı"
        case .duplicate: return "uygulamaya daha önce bildirilmişti"
        case .nearBoundary: return "iz, sınırdan \(words.length(shown.distance ?? 0)) uzakta"
        case .logGap:
            return switch (shown.since, shown.until) {
            case (let since?, let until?): "günlükte \(words.time(since)) ile \(words.time(until)) arasında kayıt yok"
            case (let since?, nil): "günlük \(words.time(since)) zamanında bitiyor"
            case (nil, let until?): "günlük \(words.time(until)) zamanında başlıyor"
            case (nil, nil): "günlük boş"
            }
        case .trackGap: return "izde o zamanlarda konum yok"
        case .unexplained: return "günlükte bunu açıklayan bir şey yok"
        }
    }

    func scope(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        let (fixes, geofences) = (report.fixCount.grouped(by: "."), report.geofenceCount.grouped(by: "."))
        guard let span = report.span else { return "Konum yok, \(geofences) coğrafi sınır: karşılaştırılacak bir şey yok." }
        let place = "\(words.time(span.lowerBound)) – \(words.time(span.upperBound)): \(fixes) konum, \(geofences) coğrafi sınır"
        if report.fixCount == 1 { return "\(place). Tek bir konum geçiş göstermez." }
        return "\(place), \(report.remarks.observations.grouped(by: ".")) gözlem. Her coğrafi sınır kayıtlı ve sağlıklı olsa "
            + "\(words.platform) bu izden \(report.happened.grouped(by: ".")) geçiş bildirir."
    }

    func result(_ report: ComparisonReport, _ words: ComparisonWords) -> String {
        var text = "\(report.told.grouped(by: ".")) bildirildi"
        if let median = report.medianDelay, let worst = report.worstDelay {
            text += " (ortanca gecikme \(words.duration(median)), en kötü \(words.duration(worst)))"
        }
        return "\(text), \(report.missed.grouped(by: ".")) kaçtı, \(report.falseCount.grouped(by: ".")) yanlış."
    }

    func remarks(_ report: ComparisonReport, _ words: ComparisonWords) -> [String] {
        let remarks = report.remarks
        var texts: [String] = []
        func number(_ value: Int) -> String { value.grouped(by: ".") }
        if let skew = remarks.skew {
            let difference = "\(words.duration(skew.seconds.magnitude)) \(skew.seconds < 0 ? "geri" : "ileri")"
            if skew.reports == 0 {
                texts.append("Günlüğün saati izinkinden \(difference) sayılıyor.")
            } else {
                texts.append(
                    "Günlüğün saati izinkinden \(difference) (\(number(skew.reports)) bildirimin ortancası). "
                        + (skew.isCorrected ? "Zamanları düzeltildi." : "--clock-skew auto düzeltir."))
            }
        }
        if remarks.namesNoGeofence {
            texts.append(
                "Günlükteki hiçbir tanımlayıcı bir coğrafi sınıra ait değil. Coğrafi sınır kimliğinden önceki kısmı --prefix ile verin."
            )
        }
        if remarks.doubled > 0 { texts.append("\(number(remarks.doubled)) yinelenen satır bir kez sayıldı.") }
        if remarks.outOfOrder > 0 { texts.append("\(number(remarks.outOfOrder)) satır sırasızdı ve sıraya kondu.") }
        if remarks.outsideTrack > 0 {
            texts.append("\(number(remarks.outsideTrack)) bildirim izden önce ya da sonra; değerlendirilmedi.")
        }
        if remarks.initial > 0 {
            texts.append("İzin içinde başladığı coğrafi sınırlar için \(number(remarks.initial)) bildirim değerlendirilmedi.")
        }
        if remarks.dwellsNotCompared > 0 {
            texts.append("\(number(remarks.dwellsNotCompared)) kalış karşılaştırılmadı: hiçbir coğrafi sınır istemiyor.")
        }
        if let gap = remarks.longestGap {
            let begin = gap.lowerBound == .earliest ? nil : words.time(gap.lowerBound)
            let end = gap.upperBound == .latest ? nil : words.time(gap.upperBound)
            switch (begin, end) {
            case (let begin?, let end?):
                texts.append("Günlükte \(begin) ile \(end) arasında boşluk var; bu arada geçişler kaçtı.")
            case (let begin?, nil): texts.append("Günlük \(begin) zamanında bitiyor; sonrasında geçişler kaçtı.")
            case (nil, let end?): texts.append("Günlük \(end) zamanında başlıyor; öncesinde geçişler kaçtı.")
            case (nil, nil): texts.append("Günlük boş.")
            }
        }
        if !remarks.unknownIdentifiers.isEmpty {
            let more = remarks.unknownIdentifierCount - remarks.unknownIdentifiers.prefix(5).count
            texts.append(
                "Coğrafi sınırı olmayan tanımlayıcılar: "
                    + remarks.unknownIdentifiers.prefix(5).map {
                        "'\(words.shown($0.identifier))' (\(number($0.count)))\($0.isOurs ? "" : ", başka bir SDK")"
                    }.joined(separator: ", ") + (more > 0 ? " … ve \(number(more)) tane daha." : "."))
        }
        return texts
    }
}
