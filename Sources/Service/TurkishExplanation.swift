import Model

/// Explanations in Turkish. After a number a noun has no plural. Names and times take no suffix.
struct TurkishExplanation: ExplanationCatalog {
    /// The zone of the times in the sentences.
    let zone: LocalTimeZone

    func reason(_ reason: StepReason) -> String {
        let stay = reason.stay.map {
            "cihaz \(time($0.since)) anından beri yer değiştirmedi; konumlarının ortalaması kullanılır (±\(length($0.accuracy))): "
        }
        var dwell = ""
        if let due = reason.dwell {
            switch reason.cause {
            case .confirmed, .sureAtOnce, .sureWithEarlier: dwell = "; kalma süresi de doldu"
            default: dwell = "; " + words(due)
            }
        }
        return (stay ?? "") + cause(reason.cause) + dwell
    }

    private func cause(_ cause: StepReason.Cause) -> String {
        switch cause {
        case .fenceNotMadeYet: return "coğrafi sınır henüz yoktu"
        case .fenceGone: return "coğrafi sınır silinmişti"
        case .fenceInactive: return "coğrafi sınır etkin değil"
        case .fenceForOthers(let devices, let groups):
            var parts: [String] = []
            if !devices.isEmpty {
                parts.append("şu \(devices.count == 1 ? "cihaz" : "cihazlar"): \(devices.joined(separator: ", "))")
            }
            if !groups.isEmpty { parts.append("şu \(groups.count == 1 ? "grup" : "gruplar"): \(groups.joined(separator: ", "))") }
            return "coğrafi sınır bu cihaz için değil; \(parts.joined(separator: " ve ")) için"
        case .noArea: return "coğrafi sınırın geçerli bir alanı yok: son durum geçerli"
        case .coarse(let most):
            return "\(length(most)) olan maxAccuracy değerinden kaba ve doğruluğunun iki katıyla içeride ya da dışarıda değil: "
                + "hiçbir şeye karar vermez"
        case .band(false): return "sınıra yakın: son durum geçerli"
        case .band(true): return "sınıra yakın: bekleyen değişikliği ne doğrular ne de onunla çelişir"
        case .jump(let speed, let most):
            return "\(number(Int(speed.rounded()))) m/s hız gerektiriyor, en çok \(decimal(most)) m/s olabilir: sonraki konum "
                + "doğrulamazsa aykırı bir ölçüm"
        case .leaving(let meters, let since):
            return
                "cihazın \(time(since)) anından beri durduğu yerden \(length(meters)) uzakta, gürültünün açıklayacağından çok: "
                + "sonraki konum da başka yerde olana ya da zamanında bir konum gelmeyene dek kuşkulu"
        case .first(let side): return "öncesi bilinmiyordu: bundan sonra \(words(side))"
        case .pending(let side, let change, let done): return "\(words(side)): \(words(change)) \(words(done))"
        case .sureAtOnce(let side): return "\(words(side)): hemen kesin"
        case .sureWithEarlier(let side, let earlier):
            return "\(words(side)), kuşkulu olan \(time(earlier)) konumu gibi: doğrulandı, o konuma geri tarihlendi"
        case .confirmed(let side, let count, let first, let seconds):
            let delay = seconds.map { ", ilkinden \(decimal($0)) sn sonra" } ?? ""
            return "\(count). konum \(words(side))\(delay): doğrulandı, \(time(first)) anına geri tarihlendi"
        case .contradicted(let side, let change): return "\(words(side)): bekleyen \(words(change)) ile çelişir; o bırakılır"
        case .moreExact: return "sınıra yakın ve çıkışı gösteren konumdan daha doğru: çıkış bırakılır"
        case .dwell(let dwell): return words(dwell)
        case .holds(let side): return "\(words(side)), önceki gibi"
        case .holdsIn(let side, let state): return "\(words(side)) ve durum: \(words(state))"
        case .wentThrough(let done):
            return "yeniden dışarıda ve önceki konumdan gelen yol içinden geçiyor: bir ziyaret \(words(done))"
        case .nothingLeadsBack(let done): return "dışarıda ve geri götüren bir yol yok: \(words(done))"
        case .wasThrough(let since):
            return "yol içinden geçti: \(since.map { "\(time($0)) anından başlayan " } ?? "")bir ziyaret, çıkarım"
        case .leadsBack: return "yol geri götürüyor: yoldaki ziyaret bırakılır"
        case .entersAfterPassage(let done): return "içeride: giriş \(words(done)); önceki yoldaki ziyaret bırakılır"
        case .doubtEnded: return "kuşkulu konumla sonraki hiçbir konum çelişmedi: doğrulandı"
        case .dropped(let first, let seconds):
            return
                "\(decimal(seconds)) sn boyunca sonraki hiçbir konum \(time(first)) konumunu doğrulamadı ya da onunla çelişmedi: bırakıldı"
        case .uncontradicted(let first, let seconds):
            return
                "\(decimal(seconds)) sn boyunca hiçbir şey çelişmedi: süre dolunca doğrulandı, \(time(first)) anına geri tarihlendi"
        case .fence(let edit, let newest): return "coğrafi sınır \(words(edit))\(words(newest))"
        case .device(let newest): return "cihazın grupları ya da ilkesi değiştirildi\(words(newest))"
        case .reported(let side): return "telefonun kendisi \(words(side)) olduğunu bildirdi"
        }
    }

    func answer(_ answer: ExplanationAnswer) -> String {
        switch answer {
        case .nothingKnown(let device): return "Hiçbir şey bilinmiyor: \(device) için kayıtlı konum yok."
        case .onRecord(let place): return "\(onRecord(place)); nedenini gösteren kayıtlı bir konumu yok."
        case .onRecordBefore(let place, let first):
            return "\(onRecord(place)); kayıtlı ilk konumu \(time(first)) zamanından."
        case .beforeFirstFix(let device, let at, let first):
            return
                "Hiçbir olay oluşamazdı: \(time(at)), \(device) için kayıtlı ilk konumdan (\(time(first))) önce."
        case .happened(let event, let device, let fence, let cause):
            let what =
                switch event.type {
                case .enter where event.cause == .initial: "\(device), ilk konumunda zaten \(fence) sınırının içindeydi"
                case .enter: "\(device), \(fence) sınırına girdi"
                case .exit: "\(device), \(fence) sınırından çıktı"
                case .dwell: "\(device) hâlâ \(fence) sınırının içindeydi"
                case .silent, .returned, .alarm, .missed, .retracted: "\(device), \(fence): \(verb(event))"
                }
            return "\(time(event.occurredAt)) anında \(what)\(sure(event)): \(words(cause, event))."
        case .happenedNear(let place, let event, let cause):
            return
                "\(words(place)); \(time(event.occurredAt, beside: place.at)) anında \(happened(event))\(sure(event)): "
                + "\(words(cause, event))."
        case .untold(let place, let change, let at, let reason):
            return "\(onRecord(place)); kayıtlı konumlara göre \(time(at, beside: place.at)) anında "
                + "\(change == .enter ? "girdi" : "çıktı") (\(self.reason(reason))) ama bu olay henüz kaydedilmedi."
        case .nothingCouldFire(let at, let reason):
            return "\(time(at)) anında hiçbir olay oluşamazdı: \(self.reason(reason))."
        case .unknown(let place):
            return "\(time(place.at)) anında \(place.device) cihazının \(place.fence) içinde olup olmadığı bilinmiyordu: "
                + "henüz hiçbir konumu yeterince doğru değildi."
        case .insideByFixes(let place):
            return "\(onRecord(place)); yeniden değerlendirilen kayıtlı konumlar onu içeride gösteriyor."
        case .outsideByFixes(let place, let lack):
            return "\(onRecord(place)); yeniden değerlendirilen kayıtlı konumlar bunu göstermiyor: \(words(lack))."
        case .stayed(let place, let lack): return "\(words(place)) ve çıkmadı: \(words(lack))."
        case .stayedOut(let place, let isEntering, let lack):
            return "\(words(place))\(isEntering ? " (henüz)" : ""): \(words(lack))."
        }
    }

    func remark(_ remark: ExplanationRemark) -> String {
        switch remark {
        case .positionsRemoved:
            "Cihazın konumları silindi ya da hiç saklanmadı; bu değerlendirme kalan ilk konumla başlıyor."
        case .lateFixesWait(let since):
            "Geç gelen konumlar var, ilki \(time(since)); yeniden oynatmayı bekliyorlar. Bu değerlendirme onları zaman "
                + "sırasıyla içeriyor."
        case .lateFixesNotEvaluated(let since):
            "Geç gelen konumlar var, ilki \(time(since)); daha eski konumlar silindiği ya da hiç saklanmadığı için "
                + "değerlendirilemediler. Bu değerlendirme onları zaman sırasıyla içeriyor."
        case .backdated(let isRemoved, let from, let to):
            "Şimdiki coğrafi sınırlarla yapılan bir yeniden oynatma, \(from.map { "\(time($0)) anından " } ?? "")\(time(to)) anına dek olan "
                + "konumları "
                + (isRemoved
                    ? "coğrafi sınır hiç olmamış gibi" : "coğrafi sınırın sonradan oluşturulmuş ya da değiştirilmiş haliyle")
                + " değerlendirdi: olaylarının nedeni 'corrected' olarak görünür."
        case .alsoOnRecord(let type, let at):
            "Ayrıca kayıtlı: \(time(at)) \(words(type)). Kayıtlı konumların yeniden oynatılması bunu üretmiyor."
        }
    }

    func verb(_ event: Event) -> String {
        switch event.type {
        case .enter: event.cause == .initial ? "içeride" : "girdi"
        case .exit: "çıktı"
        case .dwell: "kaldı"
        case .silent: "sessiz"
        case .returned: "yeniden haber veriyor"
        case .alarm: "alarm verdi"
        case .missed: "gerçekleşmedi"
        case .retracted: "geri çekildi"
        }
    }

    func since(_ time: String) -> String { "\(time) anından beri" }

    func remark(on event: Event) -> String {
        var parts: [String] = []
        switch event.rule?.expectation {
        case .entersBy(let by, _, _)?: parts.append("en geç \(by) bekleniyordu")
        case .staysAtMost(let seconds)?: parts.append("en çok \(Language.turkish.duration(seconds)) bekleniyordu")
        case .staysUntil(let until, _)?: parts.append("\(until) saatine dek bekleniyordu")
        case nil: break
        }
        if let duration = event.duration, event.type != .silent, event.type != .missed {
            parts.append(Language.turkish.duration(duration) + (event.type == .dwell ? " boyunca" : " sonra"))
        }
        switch event.cause {
        case .moved, .silence, .reported, .rule: break
        case .initial: parts.append("ilk konumunda")
        case .fenceChanged: parts.append("çünkü coğrafi sınır değiştirildi")
        case .fenceRemoved: parts.append("çünkü coğrafi sınır silindi")
        case .reconciled: parts.append("çünkü telefonun kendisi bildirdi")
        case .corrected: parts.append("yeniden oynatmayla düzeltildi")
        case .deviceRemoved: parts.append("çünkü cihaz silindi")
        }
        return parts.joined(separator: ", ")
    }

    func remedy(_ remedy: ExplanationRemedy) -> String {
        guard let outcome = remedy.outcome else {
            return
                "Yalnızca bir konum içeride. Cihaz \(Language.turkish.duration(remedy.value)) süresinden daha sık bildirseydi, daha fazlası "
                + "içeride olabilirdi."
        }
        let whose = remedy.subject == .geofence ? "Bu coğrafi sınır için" : "Bu cihaz için"
        let change =
            switch remedy.field {
            case .radius: "Yarıçap \(length(remedy.value)) olsaydı"
            default:
                remedy.value.isFinite
                    ? "\(whose) \(remedy.field.rawValue) \(remedy.field.amount(remedy.value)) olsaydı"
                    : "\(whose) \(remedy.field.rawValue) olmasaydı"
            }
        let moment = outcome.since.map { " \(time($0)) anında" } ?? ""
        let happened =
            switch (outcome.isInside, outcome.since != nil) {
            case (true, true): "\(outcome.fence) içine girerdi"
            case (true, false): "\(outcome.fence) içinde kalırdı"
            case (false, true): "\(outcome.fence) dışına çıkardı"
            case (false, false): "\(outcome.fence) içine girmezdi"
            }
        return "\(change), \(outcome.device)\(moment) \(happened)."
    }

    // MARK: - Parts of sentences

    private func words(_ place: ExplanationAnswer.Place) -> String {
        let silence = place.notSeenSince.map { ", \(time($0, beside: place.at)) anından beri görülmedi" } ?? ""
        return
            "\(time(place.at)) anında \(place.device), \(place.fence) \(place.isInside ? "içindeydi" : "içinde değildi")"
            + silence
    }

    private func onRecord(_ place: ExplanationAnswer.Place) -> String { "Kayıtlı olaylara göre \(words(place))" }

    private func sure(_ event: Event) -> String {
        event.confirmedAt == event.occurredAt
            ? "" : " (\(time(event.confirmedAt, beside: event.occurredAt)) anında kesinleşti)"
    }

    /// The verb of an event in a sentence about the past.
    private func happened(_ event: Event) -> String {
        switch event.type {
        case .enter: event.cause == .initial ? "ilk konumunda zaten içerideydi" : "girdi"
        case .dwell: "hâlâ içerideydi"
        case .exit, .silent, .returned, .alarm, .missed, .retracted: verb(event)
        }
    }

    private func words(_ type: EventType) -> String {
        switch type {
        case .enter: "giriş"
        case .exit: "çıkış"
        case .dwell: "kalma"
        case .silent: "sessizlik"
        case .returned: "dönüş"
        case .alarm: "alarm"
        case .missed: "karşılanmayan kural"
        case .retracted: "geri çekme"
        }
    }

    private func words(_ cause: ExplanationAnswer.Cause, _ event: Event) -> String {
        switch cause {
        case .step(let reason): return self.reason(reason)
        case .confirmedLater(let reason): return "\(self.reason(reason)); onu doğrulayan konum, burada gösterilenlerden sonra"
        case .notShown:
            let remark = remark(on: event)
            return "kayıtlı konumlar nedenini göstermiyor" + (remark.isEmpty ? "" : " (\(remark))")
        }
    }

    private func words(_ missing: ExplanationAnswer.Missing) -> String {
        switch missing {
        case .reason(let reason): return self.reason(reason)
        case .contradicted(let change, let moment):
            return "\(time(moment)) anına dek bekleyen bir \(words(change)) vardı, sonra bir konum onunla çelişti"
        case .nothingMeasured: return "konumlarının hiçbiri ölçülemedi"
        case .fix(let change, let moment, let distance, let lack):
            let fix = "bu konumların en \(change == .enter ? "yakını" : "uzağı"), \(time(moment)): \(place(distance))"
            switch lack {
            case .nothing: return fix
            case .coarse(let reason): return "\(fix), ama çok kaba: \(self.reason(reason))"
            case .inside(let meters):
                return "\(fix), ama kullanılan doğruluk nedeniyle ancak \(length(meters)) içeriden sonra kesin"
            case .outside(let meters):
                return "\(fix), ama çıkış payı ve kullanılan doğruluk nedeniyle ancak \(length(meters)) dışarıdan sonra kesin"
            case .reason(let reason): return "\(fix); \(self.reason(reason))"
            }
        }
    }

    private func place(_ distance: Double) -> String {
        guard distance.isFinite else { return distance < 0 ? "içeride" : "dışarıda" }
        let text = length(abs(distance))
        return text == "0 m" ? "sınırın üzerinde" : "\(text) \(distance < 0 ? "içeride" : "dışarıda")"
    }

    private func words(_ side: StepReason.Side) -> String { side == .inside ? "içeride" : "dışarıda" }

    private func words(_ change: StepReason.Change) -> String { change == .enter ? "giriş" : "çıkış" }

    private func words(_ edit: StepReason.FenceEdit) -> String {
        switch edit {
        case .made: "oluşturuldu"
        case .edited: "değiştirildi"
        case .removed: "silindi"
        }
    }

    private func words(_ state: Explanation.State) -> String {
        switch state {
        case .unknown: "bilinmiyor"
        case .outside: "dışarıda"
        case .entering: "giriyor"
        case .inside: "içeride"
        case .exiting: "çıkıyor"
        case .passing: "içinden geçiyor"
        }
    }

    private func words(_ newest: StepReason.Newest?) -> String {
        newest.map { "; \($0.isLastBelieved ? "" : "kuşkusuz ")en yeni konumuna göre cihazın durumu: \(words($0.state))" } ?? ""
    }

    private func words(_ progress: StepReason.Progress) -> String {
        let parts = [
            progress.fixes.map { "\($0.of) konumdan \($0.done)" },
            progress.seconds.map { "\(decimal($0.of)) sn süreden \(decimal($0.done)) sn" },
        ].compactMap(\.self)
        return "bekliyor" + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }

    private func words(_ dwell: StepReason.Dwell) -> String {
        dwell.stay.map { "\(time($0.since)) anından beri içeride: \(Language.turkish.duration($0.seconds)) kalma süresi doldu" }
            ?? "bir süre doldu"
    }

    // MARK: - Numbers

    private func length(_ meters: Double) -> String { Format.length(meters).replacing(".", with: ",") }
    private func decimal(_ value: Double) -> String { Format.decimal(value, 1).replacing(".", with: ",") }
    private func number(_ value: Int) -> String { Format.number(value).replacing(",", with: ".") }
}
