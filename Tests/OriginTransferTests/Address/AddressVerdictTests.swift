import HTTPSemantics
import OriginTransfer
import Testing

/// Verdicts on URLs, without resolving names.
@Suite(.timeLimit(.minutes(1)))
struct AddressVerdictTests {
    private func verdict(_ text: String) -> AddressPolicy.Verdict {
        do throws(OriginURL.Defect) {
            return AddressPolicy.verdict(on: try OriginURL(text))
        } catch {
            return AddressPolicy.Verdict(error)
        }
    }

    @Test(arguments: [
        ("http://example.com/", "allow name"), ("https://localhost.example/", "allow name"),
        ("http://8.8.8.8/", "allow public"), ("http://134744072/", "allow public"),
        ("http://0x8080808/", "allow public"),
        ("http://[2606:4700::1111]/", "allow public"), ("http://[::ffff:8.8.8.8]/", "allow public"),
        ("http://localhost/", "block loopback"), ("http://LOCALHOST:80/", "block loopback"),
        ("http://localhost./", "block loopback"), ("http://a.localhost/", "block loopback"),
        ("http://127.0.0.1/", "block loopback"), ("http://127.1/", "block loopback"),
        ("http://127.0.1/", "block loopback"),
        ("http://2130706433/", "block loopback"), ("http://0x7f000001/", "block loopback"),
        ("http://0X7F.1/", "block loopback"), ("http://0177.0.0.01/", "block loopback"),
        ("http://017700000001/", "block loopback"), ("http://127.0.0.1./", "block malformed"),
        ("http://0/", "block unspecified"),
        ("http://0x/", "block unspecified"), ("http://169.254.169.254/latest/", "block link-local"),
        ("http://2852039166/", "block link-local"), ("http://0xa9.0xfe.43518/", "block link-local"),
        ("http://10.1/", "block private"), ("http://192.168.257/", "block private"),
        ("http://[::1]/", "block loopback"), ("http://[0:0::0:1]/", "block loopback"),
        ("http://[::]/", "block unspecified"),
        ("http://[::ffff:127.0.0.1]/", "block ipv4-mapped/loopback"),
        ("http://[::ffff:7f00:1]/", "block ipv4-mapped/loopback"),
        ("http://[64:ff9b::a00:1]/", "block nat64/private"), ("http://[fe80::1]/", "block link-local"),
        ("http://[fe80::1%25eth0]/", "block malformed"), ("http://256.256.256.256/", "block malformed"),
        ("http://0x7g.1/", "block malformed"),
        ("ftp://8.8.8.8/", "block scheme"), ("http://u@8.8.8.8/", "block userinfo"), ("8.8.8.8", "block malformed"),
        ("http://8.8.8.8:99999/", "block malformed"), ("http://１２７.0.0.1/", "block malformed"),
        ("http://8.8.8.8:25/", "block bad-port"), ("http://10.0.0.1:25/", "block private"),
    ])
    func `decides on a URL without resolving it`(_ url: String, _ expected: String) {
        let verdict = verdict(url)
        #expect("\(verdict.decision.rawValue) \(verdict.rule)" == expected)
    }
}
