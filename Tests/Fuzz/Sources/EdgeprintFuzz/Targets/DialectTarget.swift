import Dialects
import ImagePlan

/// Requests in the languages of other image servers: a translation is a request of ours, and a refusal names a parameter.
enum DialectTarget: FuzzTarget {
    static let name = "dialect"

    static let seeds: [[UInt8]] = [
        "/unsafe/rs:fill:300:200:1/g:fp:0.3:0.25/c:100:0.5:noea/t:10/pd:1:2/rot:90/bg:f80/plain/http://a.example/b%3Fc.jpg@png",
        "/_/w:30/dpr:2/exar:1:ce/bl:2.5/q:80/f:webp/mb:9000/exp:1900000000/fn:caf%C3%A9/att:1/YWJj",
        "/unsafe/300x200/smart/filters:quality(80):blur(4,2)/example.org/cat.jpg",
        "/NhReoJYJs2CgKy8fNYD8-HEiW80=/trim:bottom-right:9/1x2:30x40/adaptive-full-fit-in/-9x-0/left/top/smart/cat.jpg",
        "/unsafe/fit-in/300x0/filters:rotate(90):fill(red,1):round_corner(20|20,1,2,3,true):rgb(1,-2,3)/photos/cat.jpg",
        "/unsafe/9x9/filters:watermark('a,b.png',-10,10p,50,20,20):focal(1x2:30x40):proportion(0.5):contrast(-9)/a/b.jpg",
        "/unsafe/trim:9/0.1x0.2:0.9x1/fit-in/stretch/-3x-4/10x20:30x40/right/bottom/smart/filters:fill(yellow)/b64:YWJj",
        "/unsafe/3x4/filters:label(Hello%2C%20x,center,-10,30,red,20,sans-a):padding(red,1,2,3,4):page(3):orient(90)/a.gif",
        "/?url=ssl:example.org/cat.jpg&w=300&h=50%25&dpr=1.5&fit=contain&cbg=5ccc&a=focal-25-75&mask=star&mtrim&ro=90&flip",
        "/?url=example.org&w=9&h=9&fit=cover&we&cx=1&cy=2%25&precrop&con=-9&gam&sharp=1,2,3&blur&filt=duotone&start=red",
        "/cdn-cgi/image/w=300,height=200,fit=crop,g=0.2x0.3,rotate=90,flip=hv,dpr=1.5,trim=1;2;3;4/https://a.b/c.jpg?d",
        "/cdn-cgi/image/fit=pad,w=3,h=4,trim.left=3,trim.width=9,background=hsl(120deg%2050%25%2050%25),anim=false/a",
    ].map { Array($0.utf8) }

    static let dictionary = [
        "/unsafe/", "/cdn-cgi/image/", "filters:", "fit-in/", "plain/", "b64:", "/?url=", "smart", "trim", "gravity",
        "rs:fill:",
        "%2C", "%25", "auto", "-0", "1e9", "99999999", "0.000001",
    ]

    static func run(_ bytes: [UInt8]) {
        let sides = bytes.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        for dialect in Dialect.allCases {
            do throws(RequestError) {
                let translation = try dialect.translate(
                    path: Array(sides[0]),
                    query: sides.count > 1 ? Array(sides[1]) : [],
                    source: "photos"
                )
                // Hints make `w=auto` a number; without them it is refused.
                guard !translation.query.contains("auto") else { continue }
                let parsed = try? RequestLanguage.parse(query: translation.query, options: ParseOptions())
                expect(parsed != nil, "\(dialect): \(translation.query)")
            } catch {
                expect(error.status == .malformed, "\(dialect): \(error)")
                expect(!error.parameter.isEmpty && !error.reason.isEmpty, "\(dialect): \(error)")
            }
        }
    }
}
