extension Turkish {
    func words(_ flaw: JSONFlaw) -> String {
        switch flaw {
        case .textAfterValue: "değerin sonundan sonra başka metin var"
        case .endsBeforeValue: "bir değer olması gereken yerde metin bitiyor"
        case .noStartOfValue(let a): "\(name(of: a)) bir değerin başı değil"
        case .cutOffWord: "yarım kalmış bir sözcük"
        case .unknownWord: "true, false ve null dışında bir sözcük"
        case .noDigits: "rakamı olmayan bir sayı"
        case .noDigitsAfterPoint: "noktasından sonra rakam olmayan bir sayı"
        case .noDigitsInExponent: "üssünde rakam olmayan bir sayı"
        case .startsWithZero: "0 ile başlayan bir sayı"
        case .tooDeep(let a): "\(number(a)) düzeyden daha derin iç içe"
        case .endsInArray: "metin bir dizinin içinde bitiyor"
        case .noCommaOrBracket(let a): "',' veya ']' olması gereken yerde \(name(of: a)) var"
        case .noName: "tırnak içinde adı olmayan bir üye"
        case .noColon: "ardından ':' gelmeyen bir ad"
        case .endsInObject: "metin bir nesnenin içinde bitiyor"
        case .noCommaOrBrace(let a): "',' veya '}' olması gereken yerde \(name(of: a)) var"
        case .controlCharacter: "bir metnin içinde denetim karakteri"
        case .endsInString: "metin bir tırnağın içinde bitiyor"
        case .notUTF8: "UTF-8 olmayan bir metin"
        case .halfSurrogate: "vekil çiftin yalnızca yarısı"
        case .unknownEscape: "JSON'un tanımadığı bir kaçış dizisi"
        case .cutOffEscape: "yarım kalmış bir \\u kaçış dizisi"
        case .escapeNotHexadecimal: "onaltılık olmayan bir \\u kaçış dizisi"
        }
    }
}
