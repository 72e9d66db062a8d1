extension Turkish {
    func words(_ subject: ProblemSubject) -> String {
        switch subject {
        case .verbatim(let text): text
        case .recorded(let texts): texts[.turkish] ?? texts[.english] ?? ""
        case .address: "Adres"
        case .anotherProgram: "başka bir program"
        case .answer(let peer): "\(peer) yanıtı"
        case .archived(let archive, let name): "\(words(archive)): \(name)"
        case .body: "Gövde"
        case .explanation: "Açıklama"
        case .line(let subject, let line): "\(words(subject)):\(line)"
        case .longQuery: "hizmetin uzun süren bir sorgusu (denetim ya da yedek gibi)"
        case .message(let topic): "'\(topic)' konusundaki ileti"
        case .messageTo(let peer): "\(peer) adresine bir ileti"
        case .process("", let number): "\(number) numaralı işlem"
        case .process(let command, let number): "'\(command)' (\(number) numaralı işlem)"
        case .qrCode: "QR kodu"
        case .qrCodeText: "QR kodunun metni"
        case .registryJournal: "Kayıt günlüğü"
        case .request: "İstek"
        case .service: "Hizmetin yanıtı"
        case .simulatedRegistry: "Simüle kayıt defteri"
        case .standardInput: "Standart girdi"
        }
    }

    func words(_ kind: ItemKind) -> String {
        switch kind {
        case .address: "adres"
        case .alarm: "alarm bildirimi"
        case .clientID: "istemci kimliği"
        case .device: "cihaz"
        case .directory: "dizin"
        case .file: "dosya"
        case .geofence: "coğrafi sınır"
        case .group: "grup"
        case .parkedEvent: "reddedilen olay"
        case .placeInTrack: "iz noktası"
        case .problem: "sorun"
        case .repair: "onarım"
        case .rule: "kural"
        case .sink: "hedef"
        case .token: "anahtar"
        case .total: "toplam"
        case .visit: "ziyaret"
        }
    }

    func words(_ kind: JSONObjectKind) -> String {
        switch kind {
        case .action: "eylem"
        case .device: "cihaz"
        case .deviceChange: "birden çok cihazın değişikliği"
        case .enrollment: "cihaz kaydı"
        case .filter: "süzgeç"
        case .geofence: "coğrafi sınır"
        case .group: "grup"
        case .key: "anahtar"
        case .observation: "gözlem"
        case .policy: "ilke"
        case .preferences: "tercihler"
        case .rateLimit: "hız sınırı"
        case .regionReport: "bölge listesi"
        case .replay: "yeniden oynatma"
        case .rule: "kural"
        case .ruleOfEvent: "bir olayın kuralı"
        case .signIn: "oturum açma"
        case .sink: "hedef"
        case .token: "anahtar"
        }
    }

    func words(_ content: JSONContent) -> String {
        switch content {
        case .text: "metin"
        case .number: "sayı"
        case .trueOrFalse: "true ya da false"
        case .time: "zaman"
        case .knownWord: "bilinen sözcük"
        case .list: "liste"
        case .object: "nesne"
        }
    }
}
