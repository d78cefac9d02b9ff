import Testing

@testable import ProxyServer

/// The report of `edgeprint translate`.
@Suite(.timeLimit(.minutes(1)))
struct TranslationReportTests {
    @Test func `counts by option, the most frequent first`() {
        var report = TranslationReport()
        #expect(report.text == "no URLs\n")
        for _ in 0..<9_997 { report.addTranslated() }
        report.add(Problem(400, "trim: has no counterpart.", parameter: "trim"), line: 3)
        for line in 7...8 { report.add(Problem(400, "max-age\n: x", parameter: "upscale"), line: line) }
        report.addUnreadable()
        report.time = .milliseconds(50)
        #expect(
            report.text == """
                10000 URLs: 9997 translated (99.97 %), 3 not; 5 µs each
                1 line left out: not of an access log
                  2  upscale: max-age\\u000a: x (first in line 7)
                  1  trim: has no counterpart. (first in line 3)

                """
        )
    }

    @Test func `the share is 100 % only if it is all`() {
        var report = TranslationReport()
        for _ in 0..<99_999 { report.addTranslated() }
        report.add(Problem(400, "x", parameter: "y"), line: 1)
        #expect(report.text.contains("(99.99 %)"))
    }

    @Test func `the number of options is bounded`() {
        var report = TranslationReport()
        for line in 1...2_000 { report.add(Problem(400, "x", parameter: "o\(line)"), line: line) }
        #expect(
            report.sorted.count == TranslationReport.mostOptions && report.others == 1_000 && report.refused == 2_000
        )
        #expect(report.text.hasSuffix("\n  1000 with further options\n"))
    }
}
