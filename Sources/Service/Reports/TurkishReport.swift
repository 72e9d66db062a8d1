import Model

/// Reports in Turkish.
struct TurkishReport: ReportCatalog {
    func title(_ subject: ReportQuestion.Subject, _ period: ReportPeriod) -> String {
        let period =
            switch period {
            case .month: "Aylara"
            case .week: "Haftalara"
            case .day: "Günlere"
            }
        return switch subject {
        case .geofence: "\(period) göre her coğrafi sınırda geçen süre"
        case .device: "\(period) göre her cihazın coğrafi sınırlarda geçirdiği süre ve aldığı yol"
        case .group: "\(period) göre her grubun coğrafi sınırlarda geçirdiği süre ve aldığı yol"
        }
    }

    func heading(_ period: ReportPeriod) -> String {
        switch period {
        case .month: "Ay"
        case .week: "Hafta"
        case .day: "Gün"
        }
    }

    func heading(_ subject: ReportQuestion.Subject) -> String {
        switch subject {
        case .geofence: "Coğrafi sınır"
        case .device: "Cihaz"
        case .group: "Grup"
        }
    }

    var visits: String { "Ziyaret" }
    var seen: String { "Görüldüğü süre" }
    var firstIn: String { "İlk giriş" }
    var lastOut: String { "Son çıkış" }
    var distance: String { "Yol" }
    var stillThere: String { "hâlâ orada" }
    var unknown: String { "bilinmiyor" }
    func only(device: String) -> String { "Yalnızca şu cihaz: \(device)" }
    func only(group: String) -> String { "Yalnızca şu grup: \(group)" }
    func only(geofence: String) -> String { "Yalnızca şu coğrafi sınır: \(geofence)" }
    func made(at time: String) -> String { "Hazırlandığı zaman: \(time)" }

    func unknownVisits(_ count: Int) -> String {
        "\(count) ziyarette cihazın ne kadar süre görüldüğü bilinmiyor, çünkü konumlar silinmiş; görüldüğü süreye katılmıyor."
    }

    func omittedVisits(_ count: Int, shorterThan duration: String) -> String {
        "Cihazın \(duration) süresinden daha kısa görüldüğü \(count) ziyaret dışarıda bırakıldı."
    }

    func outliers(_ count: Int) -> String {
        "\(count) aykırı konum yola katılmadı: cihazın ilkesindeki en yüksek hızdan fazlasını gerektiriyor."
    }

    func notEvaluated(_ devices: [String], since: String, isPossible: Bool) -> String {
        let who =
            devices.count == 1
            ? devices[0]
            : "\(devices.count) cihaz (\(devices.prefix(3).joined(separator: ", "))\(devices.count > 3 ? ", …" : ""))"
        return isPossible
            ? "Geç gelen konumlar henüz değerlendirilmedi: \(who), ilki \(since); o andan sonraki ziyaretler eksik ya da yanlış olabilir."
            : "Geç gelen konumlar değerlendirilemiyor, çünkü daha eski konumlar silinmiş ya da hiç saklanmamış: \(who), ilki \(since); "
                + "o zamanın ziyaretleri bunları içermiyor."
    }

    var nothing: String { "Eşleşen ziyaret ya da konum yok." }
}
