import Dialects
import ImagePlan
import Testing

/// Arguments of imagor's filters, which are read otherwise than thumbor's.
@Suite(.timeLimit(.minutes(1)))
struct ImagorArgumentTests {
    @Test("Quotes are characters, and a plus is a space in texts, fonts and images")
    func texts() throws {
        let table = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/filters:strip_exif():",
            suffix: "/photos/cat.jpg",
            lines: """
                label(it's,10,10,20,red) -> watermark=text:it%27s,northwest,10,10,20,,ff0000&format=source
                label('it',10) -> watermark=text:%27it%27,northwest,10,,20,,000000&format=source
                label(a+b%2Bc,10,10,20,red) -> watermark=text:a%20b%2Bc,northwest,10,10,20,,ff0000&format=source
                label(a,0,0,20,red,0,noto+serif-bold) -> watermark=text:a,northwest,,,20,,ff0000,noto%20serif%20bold&format=source
                label(50%,10) -> watermark=text:50%2525,northwest,10,,20,,000000&format=source
                label(a%2Bb+%,10) -> watermark=text:a%25252Bb%2B%2525,northwest,10,,20,,000000&format=source
                label(%20a,10) -> watermark=text:%20a,northwest,10,,20,,000000&format=source
                watermark(my+logo.png,0,0,50) -> watermark=photos%2Fmy%2520logo.png,northwest,,,,0.5&format=source
                watermark('logo'.png,0,0,50) -> watermark=photos%2F%2527logo%2527.png,northwest,,,,0.5&format=source
                """
        )
        #expect(try table.check() == 9)
        let error = #expect(throws: RequestError.self) {
            try TranslationTable.translate(.imagor, "/unsafe/filters:label(a,'10')/photos/cat.jpg")
        }
        #expect(error?.parameter == "label")
    }

    @Test("thumbor's arguments can have quotes around them, and a plus is a plus")
    func thumborQuotes() throws {
        let table = TranslationTable(
            dialect: .thumbor,
            prefix: "/unsafe/",
            suffix: "/photos/cat.jpg",
            lines: """
                filters:watermark('my,+logo.png',0,0,50) -> watermark=photos%2Fmy%252C%252Blogo.png,northwest,,,,0.5&format=source
                """
        )
        #expect(try table.check() == 1)
    }

    @Test("Only angles that imagor turns by are accepted")
    func rotate() throws {
        let accepted = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/filters:strip_exif():",
            suffix: "/photos/cat.jpg",
            lines: """
                rotate(0) -> format=source
                rotate(90) -> rotate=270&format=source
                rotate(180) -> rotate=180&format=source
                rotate(270) -> rotate=90&format=source
                """
        )
        #expect(try accepted.check() == 4)
        let refused = TranslationTable(
            dialect: .imagor,
            prefix: "/unsafe/",
            suffix: "/photos/cat.jpg",
            lines: """
                filters:rotate(-90) -> rotate: must be 0, 90, 180 or 270
                filters:rotate(360) -> rotate: must be 0, 90, 180 or 270
                filters:rotate(450) -> rotate: must be 0, 90, 180 or 270
                filters:rotate(45) -> rotate: must be 0, 90, 180 or 270
                """
        )
        #expect(refused.checkRefusals() == 4)
        let thumbor = try TranslationTable.translate(.thumbor, "/unsafe/filters:rotate(-90)/photos/cat.jpg")
        #expect(thumbor.query == "rotate=90&format=source")
    }

    @Test("A signature has at least 17 characters, of which imagor's paths cannot have fewer")
    func shortest() throws {
        let path = "300x200/photos/cat.jpg"
        let code = "z6g_lmE3sdaSP0uHH053aZP85G8="
        let read = try TranslationTable.translate(.imagor, "/\(code.prefix(17))/\(path)")
        let whole = SHA1.authenticationCode(of: Array(path.utf8), key: "mysecret")
        #expect(read.signature == .stated(code: Array(whole.prefix(12)), message: Array(path.utf8)))
        for length in [11, 15, 16] {
            let error = #expect(throws: RequestError.self, "\(length)") {
                try TranslationTable.translate(.imagor, "/\(code.prefix(length))/\(path)")
            }
            #expect(error?.parameter == "path")
        }
    }
}
