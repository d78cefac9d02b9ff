import Dialects
import ImagePlan
import TestSupport
import Testing

/// Requests of other servers with random changes: none crashes, and each refusal names a parameter.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct DialectFuzzTests {
    private static let seeds: [Dialect: [String]] = [
        .thumbor: [
            "/unsafe/300x200/smart/filters:quality(80):blur(4,2)/example.org/cat.jpg",
            "/NhReoJYJs2CgKy8fNYD8-HEiW80=/trim:bottom-right:9/1x2:30x40/adaptive-full-fit-in/-origx-0/left/top/smart/cat.jpg",
            "/unsafe/fit-in/300x0/filters:rotate(90):fill(red,1):round_corner(20|20,1,2,3,true):rgb(1,-2,3)/photos/cat.jpg",
            "/unsafe/9x9/filters:watermark('a,b.png',-10,10p,50,20,20):focal(1x2:30x40):proportion(0.5):contrast(-9)/a/b.jpg",
        ],
        .imagor: [
            "/unsafe/trim:9/0.1x0.2:0.9x1/fit-in/stretch/-3x-4/10x20:30x40/right/bottom/smart/filters:fill(yellow)/b64:YWJj",
            "/unsafe/3x4/filters:label(Hello%2C%20x,center,-10,30,red,20,sans-a):padding(red,1,2,3,4):page(3):orient(90)/a.gif",
            "/z6g_lmE3sdaSP0uHH053aZP85G8=/3x4/filters:modulate(1,2,3):crop(0.1,2,30,.4):focal(0.1,0.2):expire(1893456000000)/a",
        ],
        .weserv: [
            "/?url=ssl:example.org/cat.jpg&w=300&h=50%25&dpr=1.5&fit=contain&cbg=5ccc&a=focal-25-75&mask=star&mtrim&ro=90&flip",
            "/?url=example.org&w=9&h=9&fit=cover&we&cx=1&cy=2%25&precrop&con=-9&gam&sharp=1,2,3&blur&filt=duotone&start=red",
            "/?url=//a.b/c&n=-1&page=3&loop=2&output=webp&ll&q=80&il&l=9&trim=10&mod=1.2,3,4&bri=9&ro=45&rbg=red&filename=x",
        ],
        .cloudflare: [
            "/cdn-cgi/image/w=300,height=200,fit=crop,g=0.2x0.3,rotate=90,flip=hv,dpr=1.5,trim=1;2;3;4/https://a.b/c.jpg?d",
            "/cdn-cgi/image/width=auto,f=auto,q=medium-high,background=rgb(1,2%25,3%2F4),blur=5,sharpen=3,onerror=redirect/a.png",
            "/cdn-cgi/image/fit=pad,w=3,h=4,trim.left=3,trim.width=9,background=hsl(120deg%2050%25%2050%25),anim=false,scq=5/a",
        ],
    ]

    @Test("20,000 changed requests of each dialect", arguments: [Dialect.thumbor, .imagor, .weserv, .cloudflare])
    func changed(dialect: Dialect) async throws {
        var random = SeededGenerator(seed: 21)
        let seeds = Self.seeds[dialect, default: []].map { Array($0.utf8) }
        var accepted = 0
        for round in 0..<20_000 {
            // Other tests have a turn.
            if round.isMultiple(of: 100) { await Task.yield() }
            var request = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.change(&request, seeds, &random) }
            let sides = request.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
            do {
                let translation = try dialect.translate(
                    path: Array(sides[0]),
                    query: sides.count > 1 ? Array(sides[1]) : [],
                    source: "photos"
                )
                accepted += 1
                // Hints make `w=auto` a number; without them it is refused. Every query has been parsed once to get here.
                if accepted.isMultiple(of: 8), !translation.query.contains("auto") {
                    try TranslationTable.checkQuery(translation)
                }
            } catch let error as RequestError {
                guard error.parameter.isEmpty || error.reason.isEmpty || error.status != .malformed else { continue }
                Issue.record("\(error) of \(String(decoding: request, as: UTF8.self))")
            }
        }
        #expect(accepted > 400, "\(dialect)")
    }

    /// Changes, deletes, doubles or inserts a few bytes, or takes the end of another request.
    private static func change(_ request: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SeededGenerator) {
        let interesting = Array("0123456789-.,:;/()=&%x?pnorig|'+ \u{0}\u{7F}é".utf8)
        let place = Int.random(in: 0..<max(1, request.count), using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0 where !request.isEmpty: request[place] = interesting.randomElement(using: &random) ?? 0
        case 1 where !request.isEmpty: request[place] = UInt8.random(in: 0...255, using: &random)
        case 2 where !request.isEmpty:
            request.removeSubrange(place..<min(request.count, place + Int.random(in: 1...6, using: &random)))
        case 3:
            let end = min(request.count, place + Int.random(in: 1...20, using: &random))
            request.insert(contentsOf: request[min(place, end)..<end], at: end)
        case 4: request.insert(interesting.randomElement(using: &random) ?? 0, at: place)
        default:
            let other = seeds.randomElement(using: &random) ?? []
            request = Array(request[..<min(place, request.count)] + other.dropFirst(place))
        }
    }
}
