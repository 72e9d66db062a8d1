import Model
import Reconciler
import Registry

/// The Turkish texts about what a diagnosis finds. A noun after a number is singular.
struct TurkishDoctor: DoctorCatalog {
    private let language = Language.turkish

    func message(_ finding: DoctorFinding, in zone: LocalTimeZone) -> String {
        switch finding {
        case .problem(let problem, _, let source):
            (source.map { "\($0): " } ?? "") + problem.message.text(in: language)
        case .autoRepairNever(let devices):
            "\(number(devices)) cihazda otomatik onarım açık, ama auto-repair-interval 0 olduğundan bu hiç yapılmaz."
        case .brokerWithoutTLS(let broker): "\(broker) MQTT aracısının parolası TLS olmadan gönderiliyor."
        case .plainHTTPBesideProxy(let address):
            "public-url HTTPS, ama \(address) adresi başka makinelerden TLS'siz HTTP de kabul ediyor."
        case .certificateExpires(let moment, let days):
            days < 0
                ? "Sertifikanın süresi \(Format.time(moment, in: zone)) tarihinde doldu."
                : "Sertifikanın süresi \(number(days)) gün sonra, \(Format.time(moment, in: zone)) tarihinde doluyor."
        case .certificateForOthers(let host): "Sertifikada \(host) adı yok, bu yüzden istemciler onu reddeder."
        case .clockBehindStore(let newest, let seconds):
            "Saat, depodaki en yeni zamandan (\(Format.time(newest, in: zone))) \(language.duration(seconds)) geride."
        case .clockNotSynchronized: "Bu makinenin saati bir zaman sunucusuyla eşitlenmiyor."
        case .littleRoom(let free, let perDay):
            "Diskte \(size(free)) boş yer var"
                + (perDay > 0
                    ? " ve depo günde \(size(perDay)) büyüyor: \(number(free / perDay)) gün sonra dolar." : ".")
        case .notWritable(let path, let reason): "'\(path)' dizinine yazılamıyor: \(reason)."
        case .foreignOwner(let files):
            "Bazı dosyalar veri dizininin sahibinden başkasına ait, hizmet onlara yazamayabilir: \(list(files))."
        case .openToOthers(let files): "Bu makinenin başka kullanıcıları şu dosyaları kullanabilir: \(list(files))."
        case .noStore(let path): "'\(path)' dizininde henüz depo yok."
        case .notLookedThrough(let bytes): "Depo \(size(bytes)) olduğundan tümüyle denetlenmedi."
        case .withoutChecksums:
            "Deponun dosyasını başka bir program oluşturduğu için sağlama toplamları yok; sayfalarındaki hasar fark edilmeyebilir."
        case .leftOvers(let files): "Zorla sonlandırılan bir komut yarım dosyalar bırakmış: \(list(files))."
        case .oldCopies(let files, let bytes):
            "Deponun geri yükleme öncesi kopyaları en az bir aylık ve \(size(bytes)) yer kaplıyor: \(list(files))."
        case .copiesBeforeErasure(let files):
            "Şu kopyalar son silinen cihazdan eski ve onun verilerini hâlâ içerebilir: \(list(files))."
        case .noBackup: "Yedek bulunamadı."
        case .oldBackup(let file, let days): "En yeni yedek (\(file)) \(number(days)) günlük."
        case .notRunning: "Hizmet çalışmıyor."
        case .notAnswering(let process): "Hizmet (süreç \(process)) çalışıyor, ama yanıt vermiyor."
        case .otherVersion(let service, let program): "Hizmetin sürümü \(service), bu programın sürümü \(program)."
        case .neverReported(let device): "\(device) hiç konum bildirmedi."
        case .refusedInput(let device, let field, let reason, let count, let lastAt):
            "\(device.isEmpty ? "Bilinmeyen bir cihaz" : device) geçersiz veri gönderdi (\(number(count)) kez, son olarak "
                + "\(Format.time(lastAt, in: zone))): \(field): \(reason.text(in: language))."
        case .clockAhead(let device, let seconds):
            "\(device) cihazının saati \(language.duration(seconds)) ileride."
        case .silent(let device, let since): "\(device) cihazı \(Format.time(since, in: zone)) anından beri sessiz."
        case .neverMet(let geofence, let name):
            "Hiçbir cihaz \(name) coğrafi sınırının içinde ya da yakınında bulunmadı"
                + (geofence == name ? "." : " (\(geofence)).")
        case .phoneSetting(let device, let platform, let cause):
            "\(device): \(language.registration.cause(cause, PlatformProfile(platform)))."
        case .monitoringMode(let device, .quiet):
            "\(device) cihazının OwnTracks uygulaması sessiz kipte, bu kipte hiçbir şey göndermez."
        case .monitoringMode(let device, .manual):
            "\(device) cihazının OwnTracks uygulaması elle kipinde, bu kipte yalnız istenince konum gönderir."
        }
    }

    func advice(_ finding: DoctorFinding, _ contact: SupportContact?) -> String {
        switch finding {
        case .problem(let problem, _, let source): advice(problem, source: source, contact, in: language)
        case .autoRepairNever:
            "auto-repair-interval ayarını verin, örneğin 15m, ya da: picket device edit ID --auto-repair off"
        case .brokerWithoutTLS: "mqtt ayarında mqtts:// kullanın."
        case .plainHTTPBesideProxy: "listen ayarına 127.0.0.1 verin ya da bağlantı noktasını güvenlik duvarında kapatın."
        case .certificateExpires: "Sertifikayı yenileyin, sonra: systemctl reload picket"
        case .certificateForOthers: "Bu ad için bir sertifika alın ya da public-url ayarına sertifikadaki bir adı verin."
        case .clockBehindStore: "Saati ayarlayın. O zamana dek yeni olaylar kayıttakilerden daha eski zamanlar alır."
        case .clockNotSynchronized: "timedatectl set-ntp true"
        case .littleRoom: "Yer açın ya da keep-positions ayarıyla konumları daha kısa süre saklayın."
        case .notWritable: "Hizmetin kullanıcısına yazma izni verin ve dosya sisteminin salt okunur olup olmadığına bakın."
        case .foreignOwner: "Dosyaları chown ile dizinin sahibine verin."
        case .openToOthers: "Bu dosyalara chmod 600 uygulayın. Oraya yazan bir sonraki komut da bunu yapar."
        case .noStore: "Yazan ilk komut onu oluşturur. Başka bir dizin için: --data DIR"
        case .notLookedThrough: "picket check, hizmet çalışırken hepsini denetler."
        case .withoutChecksums: "picket compact sağlama toplamlarını ekler."
        case .leftOvers: "Dizine yazan bir sonraki komut onları kaldırır."
        case .oldCopies: "Gerekmiyorsa silin."
        case .copiesBeforeErasure: "Silin. Yedek gerekiyorsa: picket backup FILE"
        case .noBackup: "picket backup FILE. Yedekleriniz başka bir klasördeyse: picket doctor --backups DIR"
        case .oldBackup: "picket backup FILE"
        case .notRunning: "picket serve ya da: systemctl start picket"
        case .notAnswering: "Günlüğüne bakın, sonra: systemctl restart picket"
        case .otherVersion: "Hizmeti yeniden başlatın: systemctl restart picket"
        case .neverReported(let device): "Uygulamasını kurun: picket device enroll \(device.shellQuoted)"
        case .refusedInput(let device, _, _, _, _):
            device.isEmpty
                ? "Uygulamada cihazı ya da kullanıcıyı ayarlayın."
                : "Ayarlarını düzeltin. Ayrıntı: picket device show \(device.shellQuoted)"
        case .clockAhead: "Cihazı, saatini otomatik olarak eşitleyecek şekilde ayarlayın."
        case .silent: "Uygulamasının çalıştığını, ağ bağlantısı olduğunu ve konumu arka planda kullanabildiğini denetleyin."
        case .neverMet(let geofence, _):
            "Haritada doğru yerde olup olmadığını denetleyin: enlem ve boylam yer değiştirmiş olabilir. Ya da: "
                + "picket geofence edit \(geofence.shellQuoted) --inactive"
        case .phoneSetting(_, let platform, let cause): Self.advice(cause, platform)
        case .monitoringMode: "Uygulamada 'Significant' ya da 'Move' kipini seçin."
        }
    }

    private static func advice(_ cause: Finding.Cause, _ platform: Device.Platform) -> String {
        switch (cause, platform) {
        case (.locationOff, .ios): "Telefonda: Ayarlar, Gizlilik ve Güvenlik, Konum Servisleri: açık."
        case (.locationOff, .android): "Telefonda: Ayarlar, Konum: açık."
        case (.authorization, .ios): "Telefonda: Ayarlar, uygulama, Konum: Her Zaman."
        case (.authorization, .android): "Telefonda: Ayarlar, Uygulamalar, uygulama, İzinler, Konum: Her zaman izin ver."
        case (.imprecise, .ios): "Telefonda: Ayarlar, uygulama, Konum: Tam Konum açık."
        case (.imprecise, .android): "Telefonda: Ayarlar, Uygulamalar, uygulama, İzinler, Konum: Tam konumu kullan."
        case (.noBackgroundRefresh, _): "Telefonda: Ayarlar, Genel, Arka Planda Uygulama Yenileme: açık, uygulama için de."
        case (.batteryOptimized, .ios): "Telefonda: Ayarlar, Pil: Düşük Güç Modu kapalı."
        case (.batteryOptimized, .android): "Telefonda: Ayarlar, Uygulamalar, uygulama, Pil: Kısıtlanmamış."
        default: "Telefonun ayarlarına bakın."
        }
    }

    func area(_ area: DoctorFinding.Area) -> String {
        switch area {
        case .settings: "ayarlar"
        case .certificate: "sertifika"
        case .service: "hizmet"
        case .store: "depo"
        case .clock: "saat"
        case .disk: "disk"
        case .problems: "sorunlar"
        case .devices: "cihazlar"
        case .phones: "telefonlar"
        case .geofences: "coğrafi sınırlar"
        }
    }

    func severity(_ severity: Problem.Severity) -> String {
        switch severity {
        case .critical, .error: "hata"
        case .warning: "uyarı"
        case .info: "not"
        }
    }

    func summary(errors: Int, warnings: Int, remarks: Int) -> String {
        let notes = remarks == 0 ? "" : " \(number(remarks)) not."
        guard errors + warnings > 0 else { return "Her şey yolunda." + notes }
        return "\(number(errors)) hata, \(number(warnings)) uyarı.\(notes)"
    }

    private func number(_ value: Int) -> String { Format.number(value).replacing(",", with: ".") }
    private func size(_ bytes: Int) -> String { Format.size(bytes).replacing(",", with: ".") }
}
