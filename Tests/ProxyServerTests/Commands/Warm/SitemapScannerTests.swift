import Foundation
import TestSupport
import Testing

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct SitemapScannerTests {
    private func scan(_ text: String) -> SitemapScanner.Content { SitemapScanner.scan(Array(text.utf8)) }

    @Test func `finds pages and images, under any prefix`() {
        let content = scan(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- <loc>https://x/comment</loc> -->
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
              <url><loc>
                https://x/page?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod>
                <i:image a='>'><i:loc>https://x/1.jpg</i:loc><i:title>One</i:title></i:image>
                <image:image><image:loc><![CDATA[https://x/2.jpg?a&b]]></image:loc></image:image>
              </url>
              <url><loc>https://x/&#x61;&#98;&apos;&unknown;</loc></url>
            </urlset>
            """
        )
        #expect(content.pages == ["https://x/page?a=1&b=2", "https://x/ab'&unknown;"])
        #expect(content.images == ["https://x/1.jpg", "https://x/2.jpg?a&b"])
        #expect(content.sitemaps.isEmpty)
    }

    @Test func `finds the sitemaps of an index`() {
        let content = scan(
            "<sitemapindex><sitemap><loc>https://x/a.xml</loc></sitemap><sitemap><loc>https://x/b.xml</loc></sitemap>"
        )
        #expect(content.sitemaps == ["https://x/a.xml", "https://x/b.xml"])
    }

    @Test(arguments: [
        "", "<", "<loc", "<url><loc>", "</loc>", "<loc>https://x/</loc>", "<!--", "<![CDATA[", "<?xml",
        "<url><loc></loc></url>",
        "<url><loc><![CDATA[", "not xml", "<a \"", "<urlset/><url/>",
    ])
    func `damaged or foreign text yields nothing and no crash`(text: String) {
        #expect(scan(text).isEmpty)
    }

    @Test func `random bytes cause no crash`() {
        var generator = SeededGenerator(seed: 7)
        let parts = [
            "<", ">", "loc", "/", "url", "<![CDATA[", "]]>", "<!--", "-->", "&#x", ";", "\"", "image", ":", " ", "é",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            _ = scan(text.joined())
        }
    }

    @Test func `deep nesting is bounded`() {
        let content = scan(String(repeating: "<a>", count: 100_000) + "<url><loc>https://x/</loc></url>")
        #expect(content.isEmpty)
    }
}
