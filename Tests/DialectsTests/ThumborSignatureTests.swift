import Dialects
import ImagePlan
import Testing

/// Signatures of thumbor and imagor: codes that libthumbor 2.0.2 and Python's hmac have computed.
@Suite(.timeLimit(.minutes(1)))
struct ThumborSignatureTests {
    @Test(
        "A signature of libthumbor is the code of the path after it",
        arguments: [
            "/NhReoJYJs2CgKy8fNYD8-HEiW80=/300x200/smart/example.org/cat.jpg",
            "/ns6SpC0L__LbN0JruUMSPDYwPDA=/-300x-200/left/top/http://example.org/a%20b.jpg",
            "/7B24BR8U6ALKWvuBBsq_Bki-5MY=/trim:bottom-right:20/fit-in/300x300/filters:fill(red):quality(80)/"
                + "https%3A%2F%2Fexample.org%2Fcat.jpg%3Fv%3D1",
            "/bHOHtdOy6O2M6zKRqN-VgX_NulU=/photos/cat.jpg",
            "/PD1D4EM_MFWUBwK_iLuKkSTfDvs=/100x0/filters:watermark(logo.png,-10,-10,50)/photos/cat.jpg",
        ]
    )
    func libthumbor(path: String) throws {
        let translation = try TranslationTable.translate(.thumbor, path)
        guard case .stated(let code, let message) = translation.signature else {
            Issue.record("no signature")
            return
        }
        #expect(message == Array(path.utf8.dropFirst(30)))
        #expect(code == SHA1.authenticationCode(of: message, key: "a secret key"))
    }

    @Test("A signature may have an encoded equals sign, or none")
    func padding() throws {
        let digits = "NhReoJYJs2CgKy8fNYD8-HEiW80"
        let plain = try TranslationTable.translate(.thumbor, "/\(digits)=/300x200/smart/example.org/cat.jpg")
        for end in ["%3D", "%3d", ""] {
            let other = try TranslationTable.translate(.thumbor, "/\(digits)\(end)/300x200/smart/example.org/cat.jpg")
            #expect(other == plain)
        }
    }

    @Test("imagor's codes may be shortened, and longer than those of SHA-1")
    func imagor() throws {
        let path = "300x200/photos/cat.jpg"
        let short = try TranslationTable.translate(.imagor, "/JsuTLN4ljv9kb9hbZJtnp_FZbTe4P8kDPLRXlvkX/\(path)")
        let code: [UInt8] = [
            0x26, 0xCB, 0x93, 0x2C, 0xDE, 0x25, 0x8E, 0xFF, 0x64, 0x6F, 0xD8, 0x5B, 0x64, 0x9B, 0x67, 0xA7, 0xF1, 0x59,
            0x6D,
            0x37, 0xB8, 0x3F, 0xC9, 0x03, 0x3C, 0xB4, 0x57, 0x96, 0xF9, 0x17,
        ]
        #expect(short.signature == .stated(code: code, message: Array(path.utf8)))
        let usual = try TranslationTable.translate(.imagor, "/z6g_lmE3sdaSP0uHH053aZP85G8=/\(path)")
        let expected = SHA1.authenticationCode(of: Array(path.utf8), key: "mysecret")
        #expect(usual.signature == .stated(code: expected, message: Array(path.utf8)))
    }

    @Test("unsafe is no signature, and anything else that is none is refused")
    func none() throws {
        #expect(try TranslationTable.translate(.thumbor, "/unsafe/cat.jpg").signature == .none)
        let table = TranslationTable(
            dialect: .thumbor,
            lines: """
                /300x200/cat.jpg -> path: must begin with unsafe or a signature
                /NhReoJYJs2CgKy8fNYD8-HEiW8=/cat.jpg -> path: must begin with unsafe or a signature
                /NhReoJYJs2CgKy8fNYD8+HEiW80=/cat.jpg -> path: must begin with unsafe or a signature
                /cat.jpg -> path: must be a signature or unsafe, options, and an image
                / -> path: must be a signature or unsafe, options, and an image
                /unsafe/ -> path: must be a signature or unsafe, options, and an image
                """
        )
        #expect(table.checkRefusals() == 6)
    }
}
