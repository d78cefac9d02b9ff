import Testing

@testable import ImagePlan

@Suite(.timeLimit(.minutes(1)))
struct JSONTextTests {
    @Test(arguments: [
        ("", "\"\""), ("plain ä 漢 🦊", "\"plain ä 漢 🦊\""), ("\"\\", #""\"\\""#),
        ("a\r\nb\t", #""a\u000d\u000ab\u0009""#),
        ("\0\u{1B}\u{7F}\u{85}\u{9F}\u{A0}", "\"\\u0000\\u001b\\u007f\\u0085\\u009f\u{A0}\""),
    ])
    func `escapes quotes, backslashes and control characters`(text: String, expected: String) {
        #expect(JSONText.quoted(text) == expected)
    }
}
