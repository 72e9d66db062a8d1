import Registry

/// Health, findings and operations in Turkish. After a number a noun has no plural. A system's name takes no suffix.
struct TurkishRegistration: RegistrationCatalog {
    var sentinel: String { "Nöbetçi" }

    func summary(_ summary: HealthSummary) -> String {
        switch summary {
        case .notManaged: "Yönetilmiyor"
        case .unknown(nil): "Bilinmiyor"
        case .unknown(let reportedAt?): "Bilinmiyor, son bildirim \(reportedAt)"
        case .locationServicesDisabled: "Konum servisleri kapalı"
        case .needsAlwaysAuthorization: "'Her Zaman' izni gerekiyor"
        case .notRegistered(let count, let system): "\(count) coğrafi sınır \(system) tarafında kayıtlı değil"
        case .orphaned(let count, let system): "\(system) tarafında \(count) sahipsiz bölge"
        case .misregistered(let count, let system): "\(system) tarafında \(count) yanlış bölge"
        case .noRoom(let system): "\(system) tarafında coğrafi sınırlara yer yok"
        case .preciseLocationOff: "Tam konum kapalı"
        case .backgroundRefreshOff: "Arka planda yenileme kapalı"
        case .batteryOptimized: "Pil tasarrufu açık"
        case .noActiveGeofences: "Etkin coğrafi sınır yok"
        case .healthy: "Sağlıklı"
        }
    }

    func kind(_ kind: Finding.Kind) -> String {
        switch kind {
        case .missing: "eksik"
        case .orphaned: "sahipsiz"
        case .drifted: "kaymış"
        case .deaf: "bildirimsiz"
        case .zombie: "izlenmiyor"
        case .unmonitored: "kota dışı"
        case .blocked: "engelli"
        case .degraded: "kısıtlı"
        case .surplus: "fazla"
        case .overBudget: "yer yok"
        case .foreign: "yabancı"
        case .unsupported: "desteksiz"
        case .atRisk: "riskli"
        }
    }

    func callName(_ kind: RegistryOperation.Call.Name) -> String {
        switch kind {
        case .start: "kaydet"
        case .stop: "sil"
        case .requestState: "durumunu sor"
        }
    }

    func outcome(_ outcome: RepairReport.Step.Outcome) -> String {
        switch outcome {
        case .done: "yapıldı"
        case .failed: "başarısız"
        case .planned: "planlandı"
        }
    }

    func cause(_ cause: Finding.Cause, _ profile: PlatformProfile) -> String {
        let system = profile.name
        switch cause {
        case .notListed: return "\(system) tarafında kayıtlı değil"
        case .mayHaveBeenDropped(nil):
            return "işletim sistemi onu silmiş olabilir: telefon bir haftadır ya da daha uzun süredir sessiz"
        case .mayHaveBeenDropped(let disruption?): return "işletim sistemi onu silmiş olabilir: \(words(disruption))"
        case .interrupted: return "\(system) onaylamadan önce bir onarım yarıda kaldı"
        case .refused(let error): return "\(system) reddetti: \(error)"
        case .recordLost: return "Picket'in kendi kaydı bozulmuştu; \(system) tarafında kayıtlı olup olmadığı bilinmiyor"
        case .fenceRemoved: return "bu tanımlayıcıya sahip bir coğrafi sınır artık yok"
        case .fenceInactive: return "coğrafi sınırı kapalı"
        case .fenceNotForDevice: return "coğrafi sınırı bu cihaz için değil"
        case .otherCenter(let meters): return "\(system) onu olması gereken yerden \(length(meters)) uzakta izliyor"
        case .otherRadius(let held, let wanted):
            return "\(system) \(length(wanted)) yerine \(length(held)) yarıçapı izliyor"
        case .sentinelLeft: return "cihaz, kayıtlı olmayan coğrafi sınırları koruyan nöbetçiden çıktı"
        case .sentinelGuardsTooLittle: return "kayıtlı olmayan her coğrafi sınırı artık korumuyor"
        case .withoutEntry: return "giriş bildirimi olmadan kayıtlı"
        case .withoutExit: return "çıkış bildirimi olmadan kayıtlı"
        case .stateContradicted(let seen, let believed):
            return "konumlar cihazı \(words(seen)) gösteriyor, ama \(system) tarafındaki durum hâlâ: \(words(believed))"
        case .overSystemLimit: return "\(system) onu listeliyor ama izlemiyor, çünkü \(profile.limit) bölgeden fazlası var"
        case .locationOff: return "cihazda konum servisleri kapalı"
        case .authorization(let status):
            return "uygulamanın izni '\(status.rawValue)'; bölgeler arka planda yalnızca 'always' izniyle izlenir"
        case .imprecise: return "uygulama yalnızca yaklaşık konumu kullanabiliyor"
        case .noBackgroundRefresh: return "uygulama arka planda çalışamıyor"
        case .batteryOptimized: return "cihaz pil tasarrufu için uygulamayı kısıtlıyor"
        case .fartherThanChosen(let meters?): return "sınırı \(length(meters)) uzakta ve yerler başka coğrafi sınırlara gerekiyor"
        case .fartherThanChosen(nil): return "yerler başka coğrafi sınırlara gerekiyor"
        case .lowerPriority: return "henüz konum yok ve yerleri önceliği daha yüksek coğrafi sınırlar aldı"
        case .sentinelNotNeeded: return "bütün coğrafi sınırlar kayıtlı; nöbetçi gerekmiyor"
        case .otherSDK: return "onu Picket kaydetmedi; \(profile.limit) yerden birini tutuyor"
        case .belowReliableRadius(let radius):
            return profile.raisesSmallRadii
                ? "\(length(radius)) yarıçapı \(length(profile.smallestReliableRadius)) olarak izleniyor"
                : "\(length(radius)) yarıçapı, \(system) için güvenilir biçimde izlenemeyecek kadar küçük"
        case .tooLarge(let radius):
            return "\(length(radius)) yarıçapı, \(system) için izlenemeyecek kadar büyük; yalnızca konumlar karar verir"
        case .watchedByEnclosingCircle: return "\(system) yalnızca daire izler; bu alanı çevreleyen daireyi izliyor"
        case .malformed: return "izlenebilecek bir daire değil"
        case .tooManyNearby: return "cihazın yakınında bunu güvence altına alamayacak kadar çok coğrafi sınır var"
        case .noSlots: return "bütün yerleri uygulamadaki başka SDK'ler kullanıyor"
        case .coarseFix(let accuracy):
            return "son konumun doğruluğu yalnızca \(length(accuracy)); bunu güvence altına almak için çok kaba"
        }
    }

    func reason(_ reason: RegistryOperation.Reason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .finding(.missing, .notListed): "kayıtlı olmalı, ama değil"
        case .finding(_, let cause): self.cause(cause, profile)
        case .guardsLeftOutFences: "bazı coğrafi sınırlar kayıtlı değil; cihaz bu daireden çıkınca Picket yeniden seçer"
        case .stateUnknown: "yeni eklendi; cihazın içinde olup olmadığını durumu gösterir"
        }
    }

    func registrationReason(_ reason: RegistrationReason, _ profile: PlatformProfile) -> String {
        switch reason {
        case .chosen(let reason, let isRegistered):
            let why =
                switch reason {
                case .everythingFits: "bütün coğrafi sınırlar için yer var"
                case .pinned: "cihaz onun içinde; çıkışı bildirilmeli"
                case .near(let meters): "sınırı \(length(meters)) uzakta, nöbetçinin koruyamayacağı kadar yakın"
                case .stays(let meters): "sınırı \(length(meters)) uzakta ve yeri başka bir coğrafi sınıra gerekmiyor"
                case .crowded(let meters):
                    "sınırı birçok başka sınırın arasında, \(length(meters)) uzakta ve önceliği en yüksekler arasında"
                case .priority: "henüz konum yok ve önceliği en yüksekler arasında"
                }
            return isRegistered ? "kayıtlı: \(why)" : "eksik: kayıtlı olmalı, çünkü \(why)"
        case .leftOut(let distance?, true):
            return
                "kayıtlı değil: sınırı \(length(distance)) uzakta; cihaz oraya varamadan, nöbetçiden çıkınca Picket yeniden seçer"
        case .leftOut(nil, true): return "kayıtlı değil: henüz konum yok ve başka coğrafi sınırların önceliği daha yüksek"
        case .leftOut(let distance, false):
            let away = distance.map { "sınırı \(length($0)) uzakta" } ?? "henüz konum yok"
            return "kayıtlı değil ve riskli: \(away) ve nöbetçi onu korumuyor"
        case .unwatchable(.malformed, _): return "hiç kaydedilmez: izlenebilecek bir daire değil"
        case .unwatchable(_, let radius):
            return "hiç kaydedilmez: \(length(radius)) yarıçapı \(profile.name) için çok büyük; yalnızca konumlar karar verir"
        case .inactive: return "kayıtlı değil: kapalı"
        case .forOthers: return "kayıtlı değil: bu cihaz için değil"
        case .unknown: return "böyle bir coğrafi sınır yok"
        }
    }

    private func words(_ disruption: RegistrySnapshot.Disruption) -> String {
        switch disruption {
        case .reboot: "cihaz yeniden başlatıldı"
        case .reinstall: "uygulama yeniden kuruldu"
        case .dataCleared: "uygulamanın verileri silindi"
        case .update: "uygulama güncellendi"
        case .forceStop: "uygulama zorla durduruldu"
        case .locationOff: "konum kapatıldı"
        case .permissionRevoked: "izin geri alındı"
        }
    }

    private func words(_ state: RegionState) -> String {
        switch state {
        case .inside: "içeride"
        case .outside: "dışarıda"
        case .unknown: "bilinmiyor"
        }
    }

    private func length(_ meters: Double) -> String { length(meters, separator: ",") ?? "belirsiz uzunluk" }
}
