import AdminPages
import Testing

/// Escaping of values in pages.
@Suite(.timeLimit(.minutes(1)))
struct HTMLTests {
    @Test func `interpolated text is escaped, interpolated HTML is not`() {
        let text = "<a href='x'>\"&\u{0}\u{1B}é"
        let inner: HTML = "<b>\(text)</b>"
        #expect(inner.text == "<b>&lt;a href=&#39;x&#39;&gt;&quot;&amp;\u{FFFD}\u{FFFD}é</b>")
        let outer: HTML = "<p title=\"\(text)\">\(inner)\([inner, inner])\(12)</p>"
        #expect(outer.text.hasPrefix("<p title=\"&lt;a href=&#39;x&#39;&gt;&quot;&amp;"))
        #expect(outer.text.hasSuffix("\(inner.text)\(inner.text)\(inner.text)12</p>"))
        #expect(HTML(escaping: "<").text == "&lt;" && HTML([inner, inner]).text == inner.text + inner.text)
    }

    @Test func `a page names its scripts as modules of this server`() {
        let page = AdminPages.page(
            title: "A & B",
            current: "/playground",
            body: "<p>x</p>",
            scripts: ["a.js"],
            styles: ["b.css"]
        )
        #expect(page.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
        #expect(page.contains("<title>A &amp; B · Edgeprint</title>"))
        #expect(page.contains("<script type=\"module\" src=\"/assets/a.js\"></script>"))
        #expect(page.contains("<link rel=\"stylesheet\" href=\"/assets/b.css\">"))
        #expect(page.contains("<a href=\"/playground\" aria-current=\"page\">Playground</a>"))
        #expect(!page.contains("Sign out") && page.contains("href=\"#main\""))
    }

    @Test func `an entity tag belongs to the bytes`() throws {
        let tags = AdminPages.names.compactMap { AdminPages.file($0)?.entityTag }
        #expect(tags.count >= 3 && Set(tags).count == tags.count)
        #expect(tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") && $0.count > 4 })
        #expect(AdminPages.file("../console.css") == nil)
    }
}
