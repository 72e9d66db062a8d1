/// The texts of all problems in Turkish.
struct Turkish: ProblemCatalog {
    var registrationHeading: String { "Bölge kaydı" }

    func title(_ problem: Problem) -> String {
        switch problem {
        case .validationFailed: "Geçersiz değer"
        case .decodingFailed: "Okunamayan girdi"
        case .encodingFailed: "Yazılamıyor"
        case .unsupportedFormat: "Bilinmeyen biçim"
        case .tooLarge: "Çok büyük"
        case .usage: "Geçersiz komut"
        case .inputRefused: "Geçersiz veri"
        case .deviceAheadOfClock: "Cihazın saati ileri"
        case .deviceBehindClock: "Cihazın saati geri"
        case .sharedDeviceID: "Aynı kimlikle iki gönderici"
        case .clockImplausible: "Güvenilmeyen saat"
        case .replayPending: "Değerlendirilmemiş konumlar"
        case .notFound(let kind, _, _): "Böyle bir \(words(kind)) yok"
        case .methodNotAllowed: "Yönteme izin yok"
        case .conflict: "Çakışma"
        case .preconditionFailed: "Ön koşul sağlanmıyor"
        case .cursorGone: "Bu olaydan devam edilemiyor"
        case .fileFailed: "Dosyaya erişilemiyor"
        case .storeBusy: "Veri dizini kullanımda"
        case .storeCorrupt: "Depo hasarlı"
        case .storeFull: "Disk dolu"
        case .storeTooNew: "Depo daha yeni bir sürümden"
        case .migrationFailed: "Depo güncellenemedi"
        case .storeFailed: "Depo hatası"
        case .diskFailed: "Disk hatası"
        case .storeReplaced: "Depo silinmiş ya da değiştirilmiş"
        case .walHeld: "Önyazma günlüğü küçülemiyor"
        case .locationServicesDisabled: "Konum kapalı"
        case .authorizationRequired: "'Her Zaman' izni gerekli"
        case .regionMonitoringDenied: "Bölge izlemeye izin yok"
        case .regionMonitoringFailed: "Bölge izlenemiyor"
        case .regionLimitReached: "Daha fazla bölgeye yer yok"
        case .registryJournalDamaged: "Kayıt günlüğü bozuk"
        case .registryUnavailable: "Cihaza ulaşılamadı"
        case .registryStale: "Yeni bildirim yok"
        case .registrationIncomplete: "Kayıtlar eksik"
        case .noConnection: "Bağlantı yok"
        case .timeout: "Zamanında yanıt gelmedi"
        case .tlsFailed: "Güvenli bağlantı kurulamadı"
        case .schemeMismatch: "Yanlış protokol"
        case .insecureTransport: "Şifreleme yok"
        case .unreachableByPhones: "Telefonlar bu adrese ulaşamaz"
        case .serverError: "Sunucu hatası"
        case .unauthorized: "Oturum açmak gerekiyor"
        case .forbidden: "İzin yok"
        case .sessionExpired: "Anahtarın süresi dolmuş"
        case .rateLimited: "Çok fazla istek"
        case .accessRefused: "Erişim reddedildi"
        case .intakeInterrupted: "Konum alınamıyor"
        case .sinkUnreachable(_, nil, _): "Hedefe ulaşılamıyor"
        case .sinkUnreachable: "Hedef hata veriyor"
        case .sinkUnauthorized: "Hedef kimlik bilgilerini kabul etmedi"
        case .sinkRejected: "Hedef bütün olayları reddediyor"
        case .eventRejected: "Hedef bir olayı reddetti"
        case .deliveryDegraded: "Gönderim gecikiyor"
        case .cancelled: "İptal edildi"
        case .unknown: "Beklenmeyen hata"
        }
    }

    func message(_ problem: Problem) -> String {
        switch problem {
        case .validationFailed(let field, let value, let reason, let expected):
            "\(field)\(value.isEmpty ? "" : " '\(value)'") kullanılamaz: \(words(reason)). Beklenen: \(words(expected))."
        case .decodingFailed(let source, let line, let reason):
            "\(words(source))\(line.map { ", satır \($0)" } ?? ""): \(words(reason))."
        case .encodingFailed(let what, let reason):
            "\(words(what)) yazılamıyor: \(words(reason))."
        case .unsupportedFormat(let source, let found, let supported):
            "\(words(source)), Picket'in okuyabildiği bir biçimde değil: \(words(found)). Desteklenenler: \(words(supported))."
        case .tooLarge(let what, let limit):
            "\(words(what)) çok büyük. En fazla: \(words(limit))."
        case .usage(let reason, let help):
            "\(sentence(words(reason))) Bkz. '\(help)'."
        case .inputRefused(let device, let field, let value, let kind, let reason):
            device.isEmpty
                ? "Picket geçersiz veri aldı: \(reasonText(kind, field: field, value: value, reason: reason)) "
                    + "Cihazların gönderdiği diğer her şey kaydedilmeye devam ediyor."
                : "'\(device)' geçersiz veri gönderiyor: \(reasonText(kind, field: field, value: value, reason: reason)) "
                    + "Gönderdiği diğer veriler kaydedilmeye devam ediyor."
        case .deviceAheadOfClock(let device, nil):
            "'\(device)' gelecekteki bir zamanı taşıyan konumlar göndermiş. O zamana kadar gönderdiği bütün konumlar gecikmiş sayılıyor ve "
                + "olay oluşturmuyor; yine de kaydediliyor. Birçok konum henüz cihazlara göre sıralanmadığı için ilkinin zamanı henüz "
                + "bilinmiyor. İleri giden saati düzeltin, sonra yeniden bakın."
        case .deviceAheadOfClock(let device, let since?):
            "'\(device)' gelecekteki bir zamanı taşıyan konumlar göndermiş; ilkinin zamanı \(since). O zamana kadar gönderdiği bütün konumlar "
                + "gecikmiş sayılıyor ve olay oluşturmuyor; yine de kaydediliyor. "
                + "İleri giden saati düzeltin, sonra bu konumları silin."
        case .deviceBehindClock(let device, let time, let lag):
            "'\(device)' konum bildiriyor, ama konumlarının tarihi \(time.description.prefix(10)), saatten "
                + "\(Int((lag / 86_400).rounded()).grouped(by: ".")) gün geride: \(cause(ofLag: lag)) "
                + "Konumları bu tarihlerle saklanıyor; bugün hakkında bir şey göstermiyor."
        case .sharedDeviceID(let device, let meters, let times, let seconds):
            "'\(device)' cihazının konumları birbirinden \(Self.length(meters)) uzaktaki yerler arasında gidip geliyor (\(Language.turkish.duration(seconds)) içinde "
                + "\(times.grouped(by: ".")) kez): bu kimliği iki telefon mu kullanıyor? Cihazın olayları, ziyaretleri ve raporları yanlış "
                + "olabilir. Her telefona kendi kimliğini verin."
        case .clockImplausible(let time, let reason):
            "Bu makinenin saati \(time) gösteriyor, ama ona güvenilemez: \(words(reason)). Hiçbir zaman sunucusu onu doğrulamadı. O zamana kadar "
                + "uygulamalardan bu saate göre gelecekte olan konumları sonra yeniden göndermeleri isteniyor, hiçbir konum eskidiği için "
                + "silinmiyor; süreler, sessizlik ve anahtarların süresi değerlendirilmiyor. Saati ayarlayın."
        case .replayPending(let device, let since, true):
            "'\(device)' cihazının geç gelen konumları henüz değerlendirilmedi; ilkinin zamanı \(since). O zamana kadar bu andan sonraki "
                + "olaylar, ziyaretler ve raporlar eksik ya da yanlış olabilir. Picket onları otomatik olarak değerlendirir."
        case .replayPending(let device, let since, false):
            "'\(device)' cihazının geç gelen konumları değerlendirilemiyor, çünkü cihazın daha eski konumları silinmiş ya da hiç "
                + "saklanmamış; ilkinin zamanı \(since). O zamanın olayları, ziyaretleri ve raporları bunları içermiyor. Konumlar yine de "
                + "saklanıyor."
        case .notFound(.token, let id, let named) where !named.isEmpty:
            "Kimliği '\(id)' olan bir anahtar yok. Bu adı taşıyan \(named.count == 1 ? "anahtarın kimliği" : "anahtarların kimlikleri"): "
                + "\(named.map { "'\($0)'" }.joined(separator: ", "))."
        case .notFound(let kind, let id, let similar):
            "'\(id)' adlı bir \(words(kind)) yok."
                + (similar.isEmpty
                    ? whereToList(kind)
                    : " Şunu mu demek istediniz: \(similar.map { "'\($0)'" }.joined(separator: " veya "))?")
        case .methodNotAllowed(let method, let allowed):
            "\(method) burada desteklenmiyor. Şunu kullanın: \(choice(allowed))."
        case .conflict(let kind, let id, let reason), .preconditionFailed(let kind, let id, let reason):
            "'\(id)' adlı \(words(kind)): \(words(reason))."
        case .cursorGone(let cursor, .setBack, let resume, _):
            "\(cursor.sequence) numaralı olay okunduktan sonra depo daha önceki bir duruma geri yüklendi, örneğin bir yedekten. "
                + "\(resume.sequence) numaradan sonraki olaylar değişti. \(resume.sequence) numaradan sonra devam edin."
        case .cursorGone(let cursor, .otherStore, let resume, let newest):
            "'\(cursor)' başka bir deponun olaylarına ait. Bu deponun bütün olayları için \(resume.sequence) numaradan, "
                + "yalnızca yeni olaylar için \(newest) numaradan sonra devam edin."
        case .cursorGone(let cursor, .beyondNewest, let resume, let newest):
            "\(cursor.sequence) numaralı bir olay yok: en yenisi \(newest). Numara başka bir depodan ya da bu deponun daha sonraki bir "
                + "durumundan geliyor. Hiçbir şey kaçırmamak için \(resume.sequence) numaradan, yalnızca yeni olaylar için \(newest) "
                + "numaradan sonra devam edin."
        case .fileFailed(let path, let reason):
            "\(path): \(words(reason))."
        case .storeBusy(let path, let holder):
            "\(path) veri dizinine şu anda \(words(holder)) yazıyor. "
                + "Okunabilir durumda. Bitmesini bekleyin veya durdurun, ya da --data ile başka bir dizin seçin."
        case .storeCorrupt(let path, _):
            "\(path) hasarlı ya da bir Picket deposu değil. 'picket check' hasarı gösterir; hasarsız bölümler hâlâ okunabilir. "
                + "'picket restore DOSYA' ile en yeni yedeği geri yükleyin ya da baştan başlamak için dosyayı başka yere taşıyın."
        case .storeFull(let path):
            "\(path) için diskte yer kalmadı, bu yüzden yazılamıyor. Daha önce onaylananlar güvende ve okunabilir. "
                + "Yer açıp yeniden deneyin; çalışan bir hizmet otomatik olarak devam eder."
        case .storeTooNew(let path, let version, let supported):
            "\(path) daha yeni bir Picket tarafından yazılmış (depo sürümü \(version); bu sürüm en çok \(supported) destekler). "
                + "Picket'i güncelleyin veya --data ile başka bir dizin seçin."
        case .migrationFailed(let path, let version, _):
            "\(path), \(version) numaralı depo sürümünden güncellenemedi. Depo değişmedi; Picket'in önceki sürümü onu hâlâ açabilir."
        case .storeFailed(let path, _):
            "\(path) okunamadı veya yazılamadı. Daha önce onaylananlar güvende. Çalışan bir hizmet denemeyi sürdürür."
        case .diskFailed(let path, _):
            "\(path) okunurken veya yazılırken disk hata verdi. Dosyanın kendisi sağlam olabilir: yedek alın, sonra diski ve dosya "
                + "sistemini denetleyin. Çalışan bir hizmet denemeyi sürdürür."
        case .storeReplaced(let path):
            "\(path), Picket onu kullanırken silindi, taşındı ya da başka bir dosyayla değiştirildi. Kaybolacağı için yeni hiçbir şey onaylanmıyor. "
                + "Aynı dosyayı geri koyun ya da hizmeti durdurup bir yedeği geri yükleyin ve yeniden başlatın."
        case .walHeld(let path, let bytes, let holder):
            "\(path) deposunun önyazma günlüğü (WAL) \(bytes / 1_000_000) MB oldu, çünkü \(words(holder)) bir veritabanı işlemini açık tutuyor. "
                + "Hiçbir şey kaybolmadı ve konumlar kaydedilmeye devam ediyor. O işlem bitince günlük otomatik olarak küçülür: bitmesini "
                + "bekleyin ya da programı sonlandırın."
        case .locationServicesDisabled:
            "Cihazda konum kapalı; cihaz hiçbir coğrafi sınırı bildiremez. Cihazın ayarlarından açın."
        case .authorizationRequired(let status):
            "Uygulamanın konum izni '\(status)'. Cihaz, coğrafi sınırları arka planda yalnızca 'Her Zaman' izniyle bildirir. "
                + "İzni cihazın ayarlarından verin."
        case .regionMonitoringDenied:
            "Cihaz, uygulamanın bölgeleri izlemesine izin vermiyor. Cihazın ayarlarından 'Her Zaman' ve tam konum izni verin."
        case .regionMonitoringFailed:
            "Cihaz bir bölgeyi izleyemedi. Başka hiçbir şey değişmedi. Yeniden denemek için onarımı çalıştırın."
        case .regionLimitReached(let limit):
            "Cihaz, bir uygulama için en çok \(limit) bölge izler ve hepsi kullanımda. "
                + "Cihazın konumunda önemli olanların seçilmesi için onarımı çalıştırın."
        case .registryJournalDamaged(let device, let reason):
            "Picket'in '\(device)' için tuttuğu kayıt günlüğü okunamadı: \(words(reason)). Bozuk günlüğün bir kopyası saklandı ve yenisine başlandı. "
                + "Yeniden doldurmak için onarımı çalıştırın. Konumlar ve olaylar bundan etkilenmedi."
        case .registryUnavailable:
            "Cihazdaki kayıtlar okunamadı. Yanıt verene dek coğrafi sınırlarını bildirip bildirmeyeceği bilinmiyor."
        case .registryStale(let reportedAt):
            "Cihazdaki uygulama kayıtlarını en son \(reportedAt) zamanında bildirdi. Yeniden bildirene dek cihazın coğrafi sınırlarını "
                + "bildirip bildirmeyeceği bilinmiyor. Cihazda uygulamayı açın."
        case .registrationIncomplete(let missing, let orphaned):
            "Cihazda \(missing) coğrafi sınır eksik, \(orphaned) bölge sahipsiz. Düzeltmek için onarımı çalıştırın."
        case .noConnection(let peer, _):
            "\(peer) adresine ulaşılamıyor. Çalıştığını, adresin doğru ve ağın açık olduğunu denetleyip yeniden deneyin."
        case .timeout(let peer, _):
            "\(peer) zamanında yanıt vermedi. İsteğin yerine getirilip getirilmediği bilinmiyor. Yeniden deneyin."
        case .tlsFailed(let peer, _):
            "\(peer) ile güvenli bağlantı kurulamadı: bir sertifika kabul edilmiyor. "
                + "Sertifikayı, adını, tarihlerini ve güvenilen yetkilileri denetleyin."
        case .schemeMismatch(let peer, let other):
            other.hasPrefix("https:")
                ? "\(peer) yalnızca HTTPS ile yanıt veriyor. \(other) adresini kullanın."
                : "\(peer) TLS olmadan yanıt veriyor. \(other) adresini kullanın ya da hizmete sertifika verin (tls-cert ve tls-key)."
        case .insecureTransport(let address):
            "\(address) başka makinelere şifrelenmemiş HTTP sunuyor; anahtarlar ve konumlar ele geçirilebilir. "
                + "tls-cert ve tls-key değerlerini verin ya da önüne HTTPS kullanan bir vekil sunucu koyup public-url değerini verin."
        case .unreachableByPhones(let address):
            "\(address) adresine yalnızca bu makineden ulaşılabilir; telefonlar bağlanamaz. listen değerini 0.0.0.0:7575 gibi ağınızdaki bir "
                + "adrese ya da public-url değerini bir vekil sunucunun adresine ayarlayıp hizmeti yeniden başlatın."
        case .serverError(let status, _):
            "Sunucu kendi içinde bir hatayla karşılaştı\(status.map { " (durum \($0))" } ?? ""). Daha sonra yeniden deneyin."
        case .unauthorized:
            "Bu Picket hizmetinin anahtarı eksik ya da geçersiz. Geçerli bir anahtarla oturum açın."
        case .forbidden:
            "Bu Picket hizmeti, bu anahtarla ya da anahtarsız buna izin vermiyor. Rolü buna yeten bir anahtar kullanın."
        case .sessionExpired(let name):
            "Bu Picket hizmetinin \(name.isEmpty ? "anahtarının" : "'\(name)' anahtarının") süresi dolmuş. Yeni bir anahtarla oturum açın."
        case .rateLimited(let seconds):
            "Çok fazla istek geldi. \(seconds.map { Language.turkish.duration($0.rounded(.up)) } ?? "Biraz") sonra yeniden deneyin."
        case .accessRefused(let peer, _):
            "\(peer), Picket'in kullanıcı adını ve parolasını kabul etmiyor ya da istenene izin vermiyor. "
                + "Bunları bu adresin ayarlandığı yerde, kullanıcının haklarını da orada düzeltin. Geri kalan her şey çalışıyor."
        case .intakeInterrupted(let peer, _):
            "\(peer) adresine ulaşılamıyor; cihazların oraya gönderdiği konumlar gelmiyor. Picket denemeyi sürdürüyor ve orada "
                + "saklanan iletileri sonra alacak. HTTP ile gelen konumlar kaydedilmeye devam ediyor."
        case .sinkUnreachable(let sink, let status?, _):
            "'\(sink)' hedefi hata verdi (durum \(status)). Olayları saklanıyor; Picket otomatik olarak yeniden deniyor. Geri kalan her şey çalışıyor."
        case .sinkUnreachable(let sink, nil, _):
            "'\(sink)' hedefine ulaşılamıyor. Olayları saklanıyor; yeniden yanıt verince gönderilir. Geri kalan her şey çalışıyor."
        case .sinkUnauthorized(let sink, let status, _):
            "'\(sink)' hedefi kimlik bilgilerini kabul etmedi (durum \(status)). Olayları saklanıyor. "
                + "Picket giderek seyrekleşerek, en az saatte bir yeniden deniyor. Geri kalan her şey çalışıyor. "
                + "Hedefin hizmetindeki anahtarı veya parolayı girin."
        case .sinkRejected(let sink, let status, _):
            "'\(sink)' hedefi, adresine gönderilen her şeyi reddediyor (durum \(status)). Olayları saklanıyor. "
                + "Picket giderek seyrekleşerek, en az saatte bir yeniden deniyor. Geri kalan her şey çalışıyor. "
                + "Hedefin adresini ve ayarlarını düzeltin."
        case .eventRejected(let sink, let status, _):
            "'\(sink)' hedefi bir olayı reddetti (durum \(status)). O olay saklanıyor ve yeniden gönderilebilir; "
                + "diğer olaylar gönderilmeye devam ediyor. Hedefin şablonunu denetleyin."
        case .deliveryDegraded(let sink, let attempts, let status, _):
            "'\(sink)' hedefi \(attempts) denemede \(status.map { "hata verdi (son durum \($0))" } ?? "yanıt vermedi"). Picket arka planda denemeyi sürdürüyor. "
                + "Olayları saklanıyor, hiçbiri kaybolmaz. Geri kalan her şey çalışıyor."
        case .cancelled:
            "Bitmeden durduruldu. Daha önce onaylananlar güvende."
        case .unknown:
            "Beklenmeyen bir hata oluştu."
        }
    }

    /// What is wrong with refused input, and what to do about it.
    private func reasonText(_ kind: Refusal.Kind, field: String, value: String, reason: Phrase) -> String {
        let shown = value.isEmpty ? "" : " '\(value)'"
        let received = value.isEmpty ? "" : " (gelen: '\(value)')"
        return switch kind {
        case .missing: "\(field) eksik\(received). Uygulamayı veya takip cihazını bunu gönderecek şekilde ayarlayın."
        case .unreadable: "\(field)\(shown) okunamıyor: \(words(reason)). Uygulamanın veya takip cihazının ayarlarını denetleyin."
        case .outOfRange: "\(field)\(shown) aralık dışında. Uygulamanın veya takip cihazının ayarlarını denetleyin."
        case .nullIsland: "enlem ve boylam tam 0; cihazın konumu yok. Konum iznini ve gökyüzünü görüp görmediğini denetleyin."
        case .aheadOfClock: "\(field)\(shown): \(words(reason)). Cihazın ve bu makinenin saatini denetleyin."
        case .unknownDevice:
            "cihazını belirtmiyor\(received). Uygulamada bir cihaz kimliği ayarlayın veya tek cihaza ait bir anahtar verin."
        case .encrypted:
            "Picket'te uygun anahtarı bulunmayan şifreli bir ileti. Uygulama ayarlarındaki anahtarı "
                + "Picket'e verin ya da uygulamada şifrelemeyi kapatın."
        case .malformed: "bu protokole ait olmayan bir istek\(received). Uygulamadaki kipi ve adresi denetleyin."
        case .tooLarge: "çok büyük bir istek. Uygulama bir seferde daha az göndermeli."
        case .beforeFirstPosition:
            "ilk konumundan önce bir bölge bildirimi. Uygulamanın konum gönderdiğini denetleyin; bildirim saklandı, olay üretmez."
        case .unusable: "\(field)\(shown): \(words(reason))."
        }
    }

    func connectionNotice(_ notice: ConnectionNotice) -> String {
        switch notice {
        case .lost: "Bağlantı kesildi. Yeniden bağlanılıyor …"
        case .notReached(let peer): "\(peer) adresine ulaşılamıyor. Yeniden deneniyor …"
        case .refusedForNow(let problem): "\(title(problem)). Yeniden deneniyor …"
        case .liveUpdatesPaused: "Canlı güncellemeler durdu. Arka planda yeniden bağlanılıyor."
        case .sendingPaused: "Gönderim durdu. Arka planda yeniden bağlanılıyor."
        case .restored: "Yeniden bağlandı."
        case .storedBefore(let count):
            "Kaydedilen \(count) konumun yanıtı kayboldu. Yinelenen sayılırlar ve olayları burada listelenmez; "
                + "'picket events' bunları listeler."
        case .reached(let peer): "\(peer) adresine bağlandı."
        }
    }

    /// A sentence, with a leading space, on where all things of a kind are listed; empty for a kind without a list.
    private func whereToList(_ kind: ItemKind) -> String {
        switch kind {
        case .address: " Adresleri '/openapi.json' listeler."
        case .problem: " Sorunları 'picket problems' veya 'GET /v1/problems' listeler."
        case .parkedEvent: " Bir hedefin reddedilen olaylarını 'picket sink parked HEDEF' listeler."
        case .alarm, .device, .geofence, .group, .rule, .sink, .token: " Var olanları 'picket \(kind.rawValue) list' listeler."
        case .clientID, .directory, .file, .placeInTrack, .repair, .total, .visit: ""
        }
    }

    func geofenceNote(_ note: GeofenceNote) -> String {
        func span(_ west: Double, _ east: Double) -> String {
            "\(JSONValue(west)) boylamından \(JSONValue(east)) boylamına uzanıyor"
        }
        return switch note {
        case .shortWay(let id, let west, let east):
            "'\(id)' sınırının 180 dereceden geniş kenarları var. Bunlar 180. meridyen üzerinden kısa yoldan alındı: "
                + "alan \(span(west, east)). Yazıldığı gibi alınması için --as-written kullanın (HTTP: asWritten=true)."
        case .asWritten(let id, let west, let east):
            "'\(id)' sınırının 180 dereceden geniş kenarları var. Kısa yoldan bir alan oluşmadığı için yazıldığı gibi "
                + "alındı: alan \(span(west, east)). İstenenin bu olduğunu denetleyin."
        case .place(let id, let center): "'\(id)' şurada: \(center.pair)."
        case .area(let box):
            "Coğrafi sınırlar \(box.south.hundredths) ile \(box.north.hundredths) enlemleri, \(box.west.hundredths) ile "
                + "\(box.east.hundredths) boylamları arasında."
        case .farAway(let id, let center, let distance):
            "'\(id)' (\(center.pair)) diğer bütün coğrafi sınırlardan \(number(distance.roughKilometers)) km uzakta. İstenenin bu "
                + "olduğunu denetleyin."
        case .swapped(let id, let center, let distance):
            "'\(id)' (\(center.pair)) diğer coğrafi sınırlardan \(number(distance.roughKilometers)) km uzakta, oysa "
                + "\(center.exchanged.pair) onlara yakın: enlem ile boylam yer değiştirmiş olabilir mi?"
        }
    }

    func actionLabel(_ action: Problem.RecoveryAction) -> String {
        switch action {
        case .retry: "Yeniden Dene"
        case .openSettings: "Ayarları Aç"
        case .grantAlways: "'Her Zaman' İzni Ver"
        case .signIn: "Oturum Aç"
        case .fixRegistration: "Kayıtları Onar"
        case .editInput: "Girdiyi Düzelt"
        case .contactSupport: "Desteğe Başvur"
        case .dismiss: "Kapat"
        }
    }

    var reportContents: String {
        "Bu rapor şunları içerir: Picket'in, sistemin ve kitaplıkların sürümleri; parola, anahtar ve gizli değerler olmadan ayarlar; "
            + "bu makinedeki yollar; deponun boyutu ve içindekilerin sayıları; cihaz kimlikleri ve anahtar adlarıyla sorunlar; "
            + "sunucularıyla hedefler; istemci adresleriyle günlüğün son satırları. Konum ve cihazların gönderdiği hiçbir şey yoktur. "
            + "Göndermeden önce okuyun."
    }

    var tokenHint: String {
        "'picket token create' bir anahtar oluşturur, 'picket token list' rolleri gösterir, --token bir anahtar verir."
    }

    func supportHint(_ contact: SupportContact) -> String {
        "\(contact) ile iletişime geçin ve 'picket problems report' çıktısını gönderin."
    }

    private func words(_ phrase: Phrase) -> String { phrase.text(in: .turkish) }

    private func words(_ named: some Named) -> String { named.phrase.text(in: .turkish) }

    func number(_ number: Int) -> String { number.grouped(by: ".") }

    private static func length(_ meters: Double) -> String {
        meters < 1000 ? "\(Int(meters.rounded())) m" : "\(Int((meters / 1000).rounded()).grouped(by: ".")) km"
    }

    /// Why a device's clock is so many seconds behind, and what to do.
    private func cause(ofLag lag: Double) -> String {
        guard let count = GPSWeekRollover.count(inLag: lag) else {
            return "saati sıfırlanmış ya da yanlış ayarlanmış. Cihazın saatini ayarlayın."
        }
        return "\((count * GPSWeekRollover.weeks).grouped(by: ".")) hafta, çünkü GPS alıcısının hafta sayacı baştan başlamış. "
            + "Alıcının yazılımını güncelleyin ya da alıcıyı değiştirin."
    }

    func list(_ words: [String]) -> String { words.joined(separator: ", ") }

    /// "a, b ya da c".
    func choice(_ words: [String]) -> String { words.joined(separator: ", ", last: " ya da ") }

    /// The words as a sentence, with a period unless they end with a question mark.
    private func sentence(_ words: String) -> String { words.hasSuffix("?") ? words : words + "." }
}
