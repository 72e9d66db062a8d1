import Service

/// The Turkish texts of commands. A noun after a number is singular.
struct TurkishTerminal: TerminalCatalog {
    var refused: String { "Kabul edilmedi" }
    var note: String { "Not" }
    func furtherEntries(_ count: Int) -> String { "ve \(number(count)) tane daha" }
    func line(_ number: Int) -> String { "satır \(number)" }

    var simulated: String { "simülasyon" }
    func failures(_ count: Int) -> String { "\(number(count)) kez" }
    var escalated: String { "ağırlaştı" }
    var dismissed: String { "kapatıldı" }
    var noProblem: String { "Açık sorun yok." }
    func problemDismissed(_ id: String) -> String {
        "\(id) numaralı sorun kapatıldı. Değişince ya da bir gün sonra yeniden gösterilir."
    }

    func notManaged(_ devices: Int) -> String { "\(number(devices)) cihaz yönetilmiyor: kayıt defteri yok." }

    var nothingManaged: (heading: String, ways: [(what: String, command: String)]) {
        (
            "Yönetilen cihaz yok.",
            [
                (
                    "OwnTracks uygulamalı gerçek bir telefon için:",
                    "picket device add jane/phone --platform ios --registry owntracks"
                ),
                (
                    "Uygulaması bölgelerini bildiren gerçek bir telefon için:",
                    "picket device add my-phone --platform ios --registry app"
                ),
                ("Simüle bir telefonla denemek için:", "picket device add test --platform ios"),
            ]
        )
    }

    func nobodyKnows(saved: Int) -> String { "\(number(saved)) coğrafi sınır; kayıtlı bölgeler bilinmiyor" }

    func counts(registered: Int, saved: Int, missing: Int, orphaned: Int) -> [String] {
        [
            "\(number(registered)) kayıtlı", "\(number(saved)) etkin", "\(number(missing)) eksik",
            "\(number(orphaned)) sahipsiz",
        ]
    }

    func authorization(_ status: String) -> String { "izin '\(status)'" }
    func location(isOn: Bool) -> String { "konum \(isOn ? "açık" : "kapalı")" }
    func reported(at time: String) -> String { "son bildirim \(time)" }

    func reported(_ count: Int, of all: Int, geofence: String) -> String {
        "telefon, \(geofence) için \(number(all)) giriş ve çıkıştan \(number(count)) tanesini bildirdi"
    }

    var chosenByPriority: String { "Henüz konum yok: kayıtlı coğrafi sınırlar önceliğe göre seçildi." }
    func more(_ findings: Int) -> String { "ve \(number(findings)) bulgu daha; --json hepsini gösterir" }

    func leftOut(_ geofences: Int) -> String {
        "\(number(geofences)) coğrafi sınır, bölge sınırı nedeniyle dışarıda kaldı; --explain nedenini söyler"
    }

    func noHealth(matching filter: String?) -> String {
        filter.map { "\($0) ile eşleşen sağlık kaydı yok." } ?? "Henüz sağlık kaydı yok."
    }

    var noDeviceManaged: String { "Yönetilen cihaz yok." }
    var nothingToDo: String { "Yapılacak bir şey yok." }
    func changesPlanned(_ count: Int) -> String { "\(number(count)) değişiklik yapılacak." }
    var planUnknown: String { "Telefon yanıt vermedi; plan bilinmiyor." }
    var appMakesCalls: String { "Uygulama bu işlemleri bir sonraki bildiriminde yapar. Uygulamayı telefonda açın." }
    func callsMade(_ count: Int) -> String { "\(number(count)) işlem yapıldı." }
    func calls(_ count: Int) -> String { "\(number(count)) işlem" }
    var needsFix: String { "Cihaz nöbetçinin alanından çıktı; sonraki konumu bekleniyor." }

    func noRepairs(matching filter: String?) -> String {
        filter.map { "\($0) ile eşleşen onarım yok." } ?? "Henüz onarım yok."
    }

    func removeQuestion(_ device: String, _ contents: DeviceContents) -> String {
        "\(device) cihazı \(number(contents.positions)) konumu ve kayıtlarıyla birlikte silinsin mi? Bu geri alınamaz. "
            + rest(contents)
    }

    func removed(_ device: String, _ contents: DeviceContents) -> String {
        "\(device) cihazı \(number(contents.positions)) konumuyla birlikte silindi. \(rest(contents))"
    }

    /// The sentence about what is kept.
    private func rest(_ contents: DeviceContents) -> String {
        "\(number(contents.events)) olayı ve \(number(contents.visits)) ziyareti saklanır."
    }

    func removePositionsQuestion(_ removal: PositionRemoval, since: String) -> String {
        "\(Format.printable(removal.deviceId)) cihazının \(since) zamanından sonraki \(number(removal.positions)) konumu silinsin mi? "
            + "Bu geri alınamaz."
    }

    func removedPositions(_ removal: PositionRemoval, since: String) -> String {
        "\(Format.printable(removal.deviceId)) cihazının \(since) zamanından sonraki \(number(removal.positions)) konumu silindi: "
            + "\(number(removal.retracted ?? 0)) olay geri çekildi, \(number(removal.new ?? 0)) yeni olay."
    }

    func eraseQuestion(_ device: String) -> String {
        "\(device) cihazı, bütün verileriyle birlikte silinsin mi? Bu geri alınamaz."
    }

    var yesOrNo: (hint: String, yes: [String]) { ("[e/H]", ["e", "evet"]) }

    var columns: [String] { ["ZAMAN", "YER", "SINIR", "DOĞRULUK", "SAYILAN", "SÖYLEDİĞİ", "DURUM", "NEDEN"] }
    func place(_ length: String, isInside: Bool) -> String {
        "\(length.replacing(".", with: ",")) \(isInside ? "içeride" : "dışarıda")"
    }

    func reading(_ name: String) -> String {
        switch name {
        case "inside": "içeride"
        case "outside": "dışarıda"
        case "band": "sınıra yakın"
        case "coarse": "çok kaba"
        default: name
        }
    }

    func state(_ state: Explanation.State) -> String {
        switch state {
        case .unknown: "bilinmiyor"
        case .outside: "dışarıda"
        case .entering: "giriyor"
        case .inside: "içeride"
        case .exiting: "çıkıyor"
        case .passing: "içinden geçiyor"
        }
    }

    func since(_ time: String) -> String { "\(time) anından beri" }
    func notSeenSince(_ time: String) -> String { "\(time) anından beri görülmedi" }
    func thisVisit(_ visit: String) -> String { "Bu ziyaret: \(visit)." }

    func visits(before: String?, after: String?) -> String {
        let parts = [before.map { "son ziyaret \($0)" }, after.map { "sonraki ziyaret \($0)" }].compactMap(\.self)
        let text = parts.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + "; sormak için --at kullanın."
    }

    var policy: String { "İlke" }

    func source(_ source: Explanation.PolicyParameter.Source) -> String {
        switch source {
        case .geofence: "coğrafi sınır"
        case .device: "cihaz"
        case .store: "genel"
        }
    }

    var unlimited: String { "yok" }
    var remedyCommands: (change: String, trial: String) { ("Değiştirmek için:", "Önce geçmişte denemek için:") }

    private func number(_ value: Int) -> String { Format.number(value).replacing(",", with: ".") }
}
