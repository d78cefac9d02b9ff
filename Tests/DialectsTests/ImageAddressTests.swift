import Dialects
import ImagePlan
import Testing

/// Addresses of images with characters that their servers are tolerant of, and with schemes.
@Suite(.timeLimit(.minutes(1)))
struct ImageAddressTests {
    @Test(
        "A percent sign that encodes nothing stands for itself in an address",
        arguments: [
            ("http://example.org/50%25off.jpg", "http://example.org/50%25off.jpg"),
            ("http://example.org/50%off.jpg", "http://example.org/50%25off.jpg"),
            ("http://example.org/50%25", "http://example.org/50%25"),
            ("http://example.org/50%", "http://example.org/50%25"),
            ("http://example.org/50%252", "http://example.org/50%252"),
            ("http://example.org/5%2520off.jpg", "http://example.org/5%20off.jpg"),
            ("http%3A%2F%2Fexample.org%2F50%25off.jpg", "http://example.org/50%25off.jpg"),
            ("http%253A%252F%252Fexample.org%252F50%25off.jpg", "http://example.org/50%25off.jpg"),
            ("example.org/50%25off.jpg", "http://example.org/50%25off.jpg"),
        ]
    )
    func thumborPercent(image: String, url: String) throws {
        let translation = try TranslationTable.translate(.thumbor, "/unsafe/300x200/\(image)")
        #expect(translation.image == .url(url))
    }

    @Test("A percent sign that encodes nothing stands for itself in a path")
    func thumborPath() throws {
        let translation = try TranslationTable.translate(.thumbor, "/unsafe/300x200/photos/50%off%20.jpg")
        #expect(translation.image == .path("photos/50%25off%20.jpg"))
    }

    @Test(
        "weserv reads http and https only",
        arguments: ["ftp://example.org/a.jpg", "file:///etc/passwd", "FTP%3A%2F%2Fexample.org/a.jpg", "s3://b/a.jpg"]
    )
    func weservScheme(address: String) throws {
        let error = #expect(throws: RequestError.self) {
            try TranslationTable.translate(.weserv, "/?url=\(address)&w=100")
        }
        #expect(error?.parameter == "url")
        #expect(error?.reason.contains("http") == true)
    }

    @Test("A scheme in the query of an address is not its own")
    func weservQuery() throws {
        let translation = try TranslationTable.translate(.weserv, "/?url=example.org/a.jpg?u=ftp://b&w=100")
        #expect(translation.image == .url("http://example.org/a.jpg?u=ftp://b"))
        let port = try TranslationTable.translate(.weserv, "/?url=example.org:8080/a.jpg&w=100")
        #expect(port.image == .url("http://example.org:8080/a.jpg"))
    }

    @Test("weserv's two ways to crop exclude each other")
    func weservCrops() {
        for name in ["cx", "cy", "cw", "ch"] {
            let error = #expect(throws: RequestError.self) {
                try TranslationTable.translate(.weserv, "/?url=example.org/a.jpg&crop=1,2,3,4&\(name)=1")
            }
            #expect(error?.parameter == name)
            #expect(error?.reason == "cannot be combined with crop, which states the whole rectangle")
        }
    }

    @Test("The query beside an encoded address is not said to be that of a path")
    func cloudflareQuery() throws {
        let encoded = "/cdn-cgi/image/w=3/https%3A%2F%2Fa.b%2Fc.jpg"
        #expect(try TranslationTable.translate(.cloudflare, encoded).image == .url("https://a.b/c.jpg"))
        let error = #expect(throws: RequestError.self) {
            try TranslationTable.translate(.cloudflare, "\(encoded)?x=1")
        }
        #expect(
            error?.description
                == "query: cannot be said beside an encoded address: encode it as well, as a part of the address"
        )
        let path = try TranslationTable.translate(.cloudflare, "/cdn-cgi/image/w=3/c.jpg?x=1&y")
        #expect(path.image == .path("c.jpg", query: "x=1&y"))
    }

    @Test("What no path can have is encoded, and what is encoded stays")
    func rawBytes() throws {
        let requests: [(Dialect, String)] = [
            (.thumbor, "/unsafe/30x20/"), (.imagor, "/unsafe/30x20/"), (.cloudflare, "/cdn-cgi/image/w=3/"),
        ]
        for (dialect, start) in requests {
            let image = try TranslationTable.translate(dialect, start + "d/a b\"ü%20%c3%A4(1),@:.jpg").image
            #expect(image == .path("d/a%20b%22%C3%BC%20%c3%A4(1),@:.jpg"), "\(dialect)")
        }
    }

    @Test("A side of Cloudflare's gravity is one of the original, as a point is")
    func cloudflareSides() throws {
        let sides = ["left": "0x0.5", "right": "1x0.5", "top": "0.5x0", "bottom": "0.5x1"]
        let turns = ["", ",flip=h", ",flip=v", ",flip=hv"].flatMap { flip in
            ["", ",rotate=90", ",rotate=180", ",rotate=270", ",rotate=360"].map { flip + $0 }
        }
        func query(_ gravity: String, _ turn: String) throws -> String {
            let options = "fit=cover,w=300,h=200,g=\(gravity)\(turn)"
            return try TranslationTable.translate(.cloudflare, "/cdn-cgi/image/\(options)/c.jpg").query
        }
        for (side, point) in sides {
            for turn in turns { #expect(try query(side, turn) == query(point, turn), "\(side)\(turn)") }
        }
        #expect(try query("left", ",rotate=90").contains("gravity=north&"))
        #expect(try query("left", ",flip=h").contains("gravity=east&"))
        #expect(try query("left", "").contains("gravity=west&"))
    }
}
