import ImagePlan
import Testing

/// Cleaning of SVG documents.
@Suite(.timeLimit(.minutes(1)))
struct SVGCleanerTests {
    private func clean(_ markup: String) throws(MetadataCleaner.Stop) -> String {
        let header = ImageHeader(format: .svg, width: 0, height: 0)
        return String(decoding: try MetadataCleaner.clean(Array(markup.utf8).span, as: header), as: UTF8.self)
    }

    /// Cleans the content of a document.
    private func content(_ markup: String) throws -> String {
        let whole = try clean("<svg xmlns=\"http://www.w3.org/2000/svg\">\(markup)</svg>")
        return String(whole.dropFirst("<svg xmlns=\"http://www.w3.org/2000/svg\">".count).dropLast("</svg>".count))
    }

    @Test(arguments: [
        "<path d=\"M0 0L9 9\" style=\"fill:#f00;stroke-width:2px\"/>", "<use href=\"#a\"/>", "<use xlink:href=\"#a\"/>",
        "<rect fill=\"url(#g)\" filter=\"url('#f')\" clip-path=\"url( #c )\"/>",
        "<image href=\"data:image/png;base64,iVBORw0KGgo=\" width=\"1\"/>",
        "<style>.a{fill:red}</style>", "<style>.a{fill:url(#g)}</style>",
        "<text x='1'>a &lt; b &amp; c &#169;</text>", "<a><circle r=\"1\"/></a>",
        "<animate attributeName=\"r\" values=\"1;2\"/>", "<g id='a'><title>T</title></g>",
    ])
    func `keeps graphics byte for byte`(markup: String) throws {
        #expect(try content(markup) == markup)
    }

    @Test(arguments: [
        ("<script>alert(1)</script>", ""), ("<script href=\"#a\"/>", ""), ("<script><![CDATA[a<b]]></script>x", "x"),
        ("<x:script xmlns:x=\"http://www.w3.org/2000/svg\">alert(1)</x:script>", ""),
        ("<rect onclick=\"a()\" width=\"1\"/>", "<rect width=\"1\"/>"), ("<rect ONLOAD='a()'/>", "<rect/>"),
        ("<rect ev:onload='a()'/>", "<rect/>"),
        ("<foreignObject><p onclick='a()'>x</p></foreignObject><g/>", "<g/>"), ("<iframe src='//a.example'/>", ""),
        ("<image href=\"https://a.example/b.png\" x=\"1\"/>", "<image x=\"1\"/>"),
        ("<image href='b.png'/>", "<image/>"),
        ("<image href=\"data:image/svg+xml,%3Csvg/%3E\"/>", "<image/>"), ("<use href=\"other.svg#a\"/>", "<use/>"),
        ("<a href=\"javascript:alert(1)\">x</a>", "<a>x</a>"),
        ("<a xlink:href=\"https://a.example\">x</a>", "<a>x</a>"),
        ("<a href=\"&#106;avascript:a()\">x</a>", "<a>x</a>"),
        ("<rect fill=\"url(https://a.example/#g)\"/>", "<rect/>"),
        ("<rect style=\"fill:URL(//a.example/x)\"/>", "<rect/>"),
        ("<rect style=\"fill:u\\72l(//a.example)\"/>", "<rect/>"),
        ("<rect fill=\"u&#x72;l(//a.example)\"/>", "<rect/>"), ("<g xml:base=\"https://a.example/\"/>", "<g/>"),
        ("<style>@import url(//a.example/a.css);</style>", "<style></style>"),
        ("<style><![CDATA[.a{fill:url(//a.example)}]]></style>", "<style></style>"),
        ("<style>.a{background:image-set('//a.example/b.png' 1x)}</style>", "<style></style>"),
        ("<style>@font-face{src:url(//a.example/f.woff)}</style>", "<style></style>"),
        ("<style>.a{fill:red}&#64;import '//a.example'</style>", "<style></style>"),
        ("<set attributeName=\"href\" to=\"https://a.example\"/>", ""),
        ("<animate attributeName=\"xlink:href\" values=\"javascript:a()\"/>", ""),
        ("<set attributeName=\"onclick\" to=\"a()\"/>", ""), ("<!-- note --><g/>", "<g/>"), ("<?php a ?><g/>", "<g/>"),
        ("<metadata><rdf:RDF>me</rdf:RDF></metadata>", ""), ("<sodipodi:namedview id='n'/>", ""),
        ("<img src='x'/>", ""),
        ("<image\n\thref\n=\n'//a.example'\n/>", "<image/>"), ("<rect cursor=\"url(x.cur),auto\"/>", "<rect/>"),
        ("<rect a=\"&unknown;\"/>", "<rect/>"),
    ])
    func `removes scripts, handlers and external references`(markup: String, left: String) throws {
        #expect(try content(markup) == left)
    }

    @Test func `removes declarations around the document`() throws {
        let markup = """
            \u{FEFF}<?xml version="1.0"?><?xml-stylesheet href="//a.example/a.css"?>
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
            <!-- Made by me --><svg width='1'><g/></svg><!-- end -->
            """
        #expect(try clean(markup) == "<svg width='1'><g/></svg>")
    }

    @Test func `replaces entities that contain plain text`() throws {
        let markup = """
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [
              <!ENTITY ns_svg "http://www.w3.org/2000/svg"> <!ATTLIST svg onload CDATA "a()"> <!ENTITY js 'javascript:a()'>
              <!ENTITY ns_svg "other">
            ]>
            <svg xmlns="&ns_svg;"><text>&js; &amp;</text><a href="&js;"/></svg>
            """
        let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>javascript:a() &amp;</text><a/></svg>"
        #expect(try clean(markup) == expected)
        // The expansion is bounded.
        let long = "<!DOCTYPE svg [<!ENTITY a \"\(String(repeating: "x", count: 1000))\">]>"
        let bomb = long + "<svg>" + String(repeating: "&a;", count: 2000) + "</svg>"
        #expect(throws: MetadataCleaner.Stop.self) { try clean(bomb) }
    }

    @Test(arguments: [
        "<!DOCTYPE svg [<!ENTITY a '<g/>'>]><svg>&a;</svg>", "<svg>&a;</svg>",
        "<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><svg>&a;</svg>", "<!DOCTYPE svg [<svg/>",
        "<svg><!DOCTYPE svg></svg>", "<!DOCTYPE svg \"a \"b\" [ ]><svg xmlns=\"><g b=\"c\"></g>",
        "<svg><g></svg>", "<svg>", "<svg></g></svg>", "<svg",
        "<svg a=b/>",
        "<svg a='<script>'/>", "<svg><g a/></svg>", "<svg><![CDATA[x</svg>", "", "text", "<svg><></svg>",
        String(repeating: "<g>", count: 2000),
    ])
    func `rejects malformed documents and references to other entities`(markup: String) {
        #expect(throws: MetadataCleaner.Stop.self) { try clean(markup) }
    }

    /// To an HTML parser, `/onload` is the attribute `onload`, and `<b` in a name may begin a tag.
    @Test(arguments: [
        "<svg x='1'/onload='a()'/>", "<svg><g/onload='a()'></g/onload='a()'></svg>", "<svg a<!DOCTYPE='9'/>",
        "<svg a='1'<script='2'/>", "<svg \"a\"='1'/>", "<svg a&b='1'/>", "<svg 1a='1'/>", "<svg -a='1'/>",
        "<svg><g<b/></svg>",
        "<svg a\u{0}b='1'/>",
    ])
    func `rejects names that XML does not allow`(markup: String) {
        #expect(throws: MetadataCleaner.Stop.self) { try clean(markup) }
    }

    @Test func `keeps names with every character that XML allows`() throws {
        let markup = "<svg xmlns='http://www.w3.org/2000/svg' data-a.b_1:c='x' \u{E9}='y'><svg:g _a='1'/></svg>"
        #expect(try clean(markup) == markup)
    }

    @Test func `rejects encodings other than UTF-8`() {
        let markup = Array("<svg a='".utf8) + [0xFF, 0xFE] + Array("'/>".utf8)
        let header = ImageHeader(format: .svg, width: 0, height: 0)
        #expect(throws: MetadataCleaner.Stop.self) { try MetadataCleaner.clean(markup.span, as: header) }
    }
}
