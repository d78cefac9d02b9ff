import HTTPSemantics
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct LanguagePreferencesTests {
    @Test(
        arguments: [
            ("de, en", "en, de"), ("en, de", " EN ,,\tDe "), ("de;q=0.5, en", "en;q=1, de; q=0.50"),
            ("en;q=1.000", "en"), ("en;q=0.", "en;q=0"), ("de-CH,*;q=0.1", "*;q=0.1, de-ch;q=1.0"), ("", " , "),
        ]
    )
    func `equal weights for equal languages are one key`(first: String, second: String) {
        #expect(key(first) == key(second))
        #expect(key(first).matches(FieldLines([FieldLine("Accept-Language", second)].compactMap { $0 })))
    }

    @Test(
        arguments: [
            ("de, en", "de"), ("de, en;q=0.9", "de, en"), ("de, en;q=0.9", "de, en;q=0.8"),
            ("de;q=0.9, en", "de, en;q=0.9"),
            ("de;q=0", "de"), ("de-ch", "de"), ("de-ch", "de, ch"), ("de, de", "de"), ("*", "de"), ("de", ""),
            // Malformed values have no known meaning, so their order counts.
            ("de;q=2, en", "en, de;q=2"), ("de;x=1, en", "en, de;x=1"),
            ("de;q=-1, en;q=-1", "en;q=-1, de;q=-1"), ("d_e, en", "en, d_e"), ("abcdefghi, en", "en, abcdefghi"),
        ]
    )
    func `other preferences are other keys`(first: String, second: String) {
        #expect(key(first) != key(second))
    }

    @Test func `a request without the field differs from an empty field`() {
        let none = VaryKey(vary: "Accept-Language", request: FieldLines())
        #expect(none != key("") && !none.matches(FieldLines([FieldLine("Accept-Language", "")].compactMap { $0 })))
    }

    private func key(_ value: String) -> VaryKey {
        VaryKey(vary: "Accept-Language", request: FieldLines([FieldLine("Accept-Language", value)].compactMap { $0 }))
    }
}
