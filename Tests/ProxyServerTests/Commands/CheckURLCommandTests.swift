import HTTPSemantics
import ImagePipeline
import Testing
import OriginTransfer

@testable import ProxyServer

@Suite(.timeLimit(.minutes(1)))
struct CheckURLCommandTests {
    /// URLs used for server-side request forgery, with the rule that blocks each.
    @Test(arguments: [
        // Spellings of one address: decimal, octal, hexadecimal, shortened, mixed (inet_aton).
        ("http://127.0.0.1/", "loopback"), ("http://2130706433/", "loopback"), ("http://0x7f000001/", "loopback"),
        ("http://017700000001/", "loopback"), ("http://0177.0.0.1/", "loopback"), ("http://0x7f.0.0.0x1/", "loopback"),
        ("http://127.1/", "loopback"), ("http://127.0.1/", "loopback"), ("http://0/", "unspecified"),
        ("http://0.0.0.0:22/", "unspecified"), ("http://00000177.0.1/", "loopback"),
        ("http://3232235777/", "private"), ("http://0xa9fea9fe/", "link-local"), ("http://10.1/", "private"),
        ("http://172.31.255.255/", "private"), ("http://100.64.0.1/", "cgnat"), ("http://127.0.0.256/", "malformed"),
        ("http://1.2.3.4.5/", "malformed"), ("http://4294967296/", "malformed"), ("http://0x100000000/", "malformed"),
        // IPv6, and IPv4 within IPv6.
        ("http://[::1]/", "loopback"), ("http://[::]/", "unspecified"),
        ("http://[::ffff:127.0.0.1]/", "ipv4-mapped/loopback"),
        ("http://[::ffff:a9fe:a9fe]/", "ipv4-mapped/link-local"),
        ("http://[0:0:0:0:0:ffff:10.0.0.1]/", "ipv4-mapped/private"),
        ("http://[::127.0.0.1]/", "ipv4-compatible/loopback"),
        ("http://[64:ff9b::7f00:1]/", "nat64/loopback"), ("http://[64:ff9b:1::a00:1]/", "nat64/private"),
        ("http://[2002:7f00:1::]/", "6to4/loopback"), ("http://[2002:808:808::]/", "6to4"),
        ("http://[2001:0:808:808::]/", "teredo/broadcast"),
        ("http://[fe80::1]/", "link-local"), ("http://[fe80::1%25eth0]/", "malformed"),
        ("http://[fd00::1]/", "unique-local"),
        ("http://[fd00:ec2::254]/", "unique-local"), ("http://[fec0::1]/", "site-local"),
        ("http://[ff02::1]/", "multicast"), ("http://[::1", "malformed"),
        // Metadata services.
        ("http://169.254.169.254/latest/meta-data/", "link-local"), ("http://169.254.170.2/", "link-local"),
        ("http://168.63.129.16/", "cloud-metadata"), ("http://100.100.100.200/", "cgnat"),
        ("http://192.0.0.192/", "reserved"),
        // Names of this machine.
        ("http://localhost/", "loopback"), ("http://LocalHost:8080/", "loopback"), ("http://localhost./", "loopback"),
        ("http://a.b.localhost/", "loopback"), ("http://127.0.0.1./", "malformed"), ("http://1.1.1./", "malformed"),
        // Ambiguous hosts.
        ("http://good.example#@127.0.0.1/", "userinfo"), ("http://good.example/a?b#c@d", "userinfo"),
        ("http://good.example@127.0.0.1/", "userinfo"), ("http://127.0.0.1:80@good.example/", "userinfo"),
        ("http://good.example%40127.0.0.1/", "malformed"), ("http://good.example\\@127.0.0.1/", "malformed"),
        ("http://good.example%2f@127.0.0.1/", "userinfo"), ("http:127.0.0.1/", "malformed"),
        ("//127.0.0.1/", "malformed"),
        ("http:///127.0.0.1/", "malformed"), ("http://127.0.0.1%00.good.example/", "malformed"),
        ("http://%31%32%37.0.0.1/", "malformed"), ("http://good..example/", "malformed"),
        ("http://.example/", "malformed"),
        // Ports, schemes.
        ("http://good.example:0/", "malformed"), ("http://good.example:65536/", "malformed"),
        ("http://good.example:80x/", "malformed"),
        ("file:///etc/passwd", "scheme"), ("gopher://127.0.0.1:6379/_x", "scheme"),
        ("dict://127.0.0.1:11211/", "scheme"),
        ("ftp://good.example/", "scheme"), ("data:text/html,x", "scheme"), ("javascript:alert(1)", "scheme"),
        ("HTTP//good.example/", "malformed"), ("good.example", "malformed"), ("", "malformed"),
        // Ports of other protocols.
        ("http://good.example:25/", "bad-port"), ("https://8.8.8.8:6667/", "bad-port"),
        ("http://good.example:10080/", "bad-port"), ("http://good.example:22/", "bad-port"),
        // Control characters, blanks, other alphabets.
        ("http://good.example/\r\nHost: 127.0.0.1", "malformed"), ("http://good.example\t/", "malformed"),
        (" http://good.example/", "malformed"), ("http://good.example/\u{0}", "malformed"),
        ("http://exa mple/", "malformed"),
        ("http://１２７.0.0.1/", "malformed"), ("http://ⓛocalhost/", "malformed"), ("http://127。0。0。1/", "malformed"),
        ("http://bücher.example/", "malformed"), ("http://good.example/%zz", "malformed"),
    ])
    func `blocks URLs used for request forgery`(_ url: String, _ rule: String) {
        let verdict = URLVerdict(Array(url.utf8), allowPrivate: false).verdict
        #expect(verdict == AddressPolicy.Verdict(.block, rule), "\(verdict.rule)")
    }

    @Test(arguments: [
        ("http://good.example/", "name"), ("https://good.example:8443/a?b=c#d", "name"),
        ("http://xn--bcher-kva.example/", "name"), ("HTTP://GOOD.example./", "name"),
        ("http://localhost.good.example/", "name"), ("http://127.0.0.1.good.example/", "name"),
        ("http://good.example/a@127.0.0.1/", "name"), ("http://good.example?@127.0.0.1/", "name"),
        ("http://good.example:/", "name"),
        ("http://good.example/a b/ü", "name"), ("http://169.254.169.254.nip.example/", "name"),
        ("http://8.8.8.8/", "public"), ("http://134744072/", "public"), ("http://[2606:4700::1111]/", "public"),
        ("http://[64:ff9b::808:808]/", "public"), ("http://[::ffff:8.8.8.8]/", "public"),
    ])
    func `allows URLs that can be fetched`(_ url: String, _ rule: String) {
        let verdict = URLVerdict(Array(url.utf8), allowPrivate: false).verdict
        #expect(verdict == AddressPolicy.Verdict(.allow, rule), "\(verdict.rule)")
    }

    @Test(arguments: [
        ("http://127.0.0.1/", "allow allow-private"), ("http://localhost/", "allow allow-private"),
        ("http://[fd00::1]/", "allow allow-private"), ("http://8.8.8.8/", "allow public"),
        ("http://good.example/", "allow name"), ("file:///etc/passwd", "block scheme"),
        ("http://a@127.0.0.1/", "block userinfo"), ("http://127.0.0.1:0/", "block malformed"),
        ("http://127.0.0.1:6000/", "block bad-port"),
    ])
    func `allow-private allows private networks, and nothing else`(_ url: String, _ expected: String) {
        let verdict = URLVerdict(Array(url.utf8), allowPrivate: true).verdict
        #expect("\(verdict.decision.rawValue) \(verdict.rule)" == expected)
    }

    @Test func `limits the length of URLs in input and output`() {
        let base = Array("http://good.example/".utf8)
        let longest = base + [UInt8](repeating: 97, count: OriginURL.maximumLength - base.count)
        #expect(URLVerdict(longest, allowPrivate: false).verdict.decision == .allow)
        #expect(URLVerdict(longest + [97], allowPrivate: true).verdict == .init(.block, "length"))
        #expect(URLVerdict(base, isCut: true, allowPrivate: true).verdict == .init(.block, "length"))
        #expect(URLVerdict(longest, allowPrivate: false).json.utf8.count < 1200)
        #expect(URLVerdict(base + [0xFF], allowPrivate: true).verdict == .init(.block, "malformed"))
        // Bytes that the daemon percent-encodes are allowed, if the encoded URL is within the limit.
        let blanks = base + [UInt8](repeating: 0x20, count: OriginURL.maximumLength - base.count)
        #expect(URLVerdict(blanks, allowPrivate: true).verdict == .init(.block, "length"))
    }

    @Test func `writes one line of JSON per URL, and exits 1 if any is blocked`() throws {
        let fine = try CommandRun(["check-url", "http://8.8.8.8/", "http://good.example/\"x"])
        #expect(fine.code == 0)
        #expect(
            fine.output == """
                {"url":"http://8.8.8.8/","verdict":"allow","rule":"public"}
                {"url":"http://good.example/\\"x","verdict":"allow","rule":"name"}

                """
        )
        let blocked = try CommandRun(["check-url", "http://8.8.8.8/", "http://127.1/"])
        #expect(blocked.code == 1)
        #expect(blocked.output.hasSuffix("{\"url\":\"http://127.1/\",\"verdict\":\"block\",\"rule\":\"loopback\"}\n"))
        #expect(try CommandRun(["check-url", "--allow-private", "http://127.1/"]).code == 0)
        #expect(try CommandRun(["check-url"]).code == 64)
    }

    @Test func `reads any number of lines, whatever their length`() throws {
        let long = "http://good.example/" + String(repeating: "a", count: 100_000)
        let count = 20_000
        let input = String(repeating: "http://good.example/\n", count: count) + long + "\n\nhttp://10.0.0.1/"
        let run = try CommandRun(["check-url", "-"], input: input)
        let lines = run.output.split(separator: "\n")
        #expect(run.code == 1)
        #expect(lines.count == count + 3)
        #expect(lines.prefix(count).allSatisfy { $0.hasSuffix("\"verdict\":\"allow\",\"rule\":\"name\"}") })
        #expect(lines[count].hasSuffix("\"verdict\":\"block\",\"rule\":\"length\"}"))
        #expect(lines[count + 1] == "{\"url\":\"\",\"verdict\":\"block\",\"rule\":\"malformed\"}")
        #expect(lines[count + 2].hasSuffix("\"rule\":\"private\"}"))
        #expect(try CommandRun(["check-url", "-"]).output.isEmpty)
    }

    @Test func `applies a source's rule`() throws {
        let file = try ConfigurationText(
            """
            remote: { allow-private: true }
            sources:
              inner: { url: "http://10.0.0.3/", allow-private: true }
              outer: { url: "https://good.example/" }
              folder: { url: "file:///srv/" }
              odd: { url: "http://good.example:6000/a/" }
            """
        )
        func status(_ source: String) throws -> Int32 {
            try CommandRun(["check-url", "--config", file.path, "--source", source, "http://10.0.0.3/a"]).code
        }
        #expect(try status("inner") == 0)
        #expect(try status("fetch") == 0)
        #expect(try status("outer") == 1)
        #expect(try status("folder") == 64)
        // The port of a source is the operator's choice; the port of a redirect is not.
        func odd(_ url: String) throws -> Int32 {
            try CommandRun(["check-url", "--config", file.path, "--source", "odd", url]).code
        }
        #expect(try odd("http://good.example:6000/b") == 0)
        #expect(try odd("http://other.example:6000/b") == 1)
        let unknown = try CommandRun(["check-url", "--config", file.path, "--source", "iner", "http://a/"])
        #expect(unknown.code == 64)
        #expect(unknown.errors.contains("did you mean inner?"), "\(unknown.errors)")
        #expect(try CommandRun(["check-url", "--allow-private", "--source", "inner", "http://a/"]).code == 64)
    }
}
