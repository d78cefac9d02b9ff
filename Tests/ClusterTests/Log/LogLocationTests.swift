import LinuxSystem
import Testing

@testable import Cluster

@Suite(.timeLimit(.minutes(1)))
struct LogLocationTests {
    @Test func `reads hosts, ports, users and databases`() throws {
        let plain = try LogLocation("redis://cache.example")
        #expect(plain.endpoint == .host("cache.example", port: 6_379) && plain.user.isEmpty && plain.password.isEmpty)
        #expect(plain.database == 0)
    }

    @Test func `reads an address of version 6 with user, password, port and database`() throws {
        let full = try LogLocation("redis://edge:p%40s:s@[::1]:7000/3")
        #expect(full.endpoint == .host("::1", port: 7_000))
        #expect(full.user == "edge" && full.password.value == "p@s:s" && full.database == 3)
        #expect(try LogLocation("redis://:only@h/").password.value == "only")
        #expect(try LogLocation("redis://:a/b@c@h/1").password.value == "a/b@c")
    }

    @Test func `reads the path of a socket`() throws {
        let location = try LogLocation("redis+unix:///run/valkey%20a.sock?db=2")
        #expect(location.endpoint == .unix("/run/valkey a.sock") && location.database == 2 && location.user.isEmpty)
        let other = try LogLocation("redis+unix://edge:a@/b@/run/x@y")
        #expect(other.endpoint == .unix("/run/x@y") && other.user == "edge" && other.password.value == "a@/b")
    }

    @Test func `prints everything but the password`() throws {
        #expect(try LogLocation("redis://u:canary@h:1/2").description == "redis://u:[redacted]@h:1/2")
        #expect(try LogLocation("redis://[::1]").description == "redis://[::1]:6379")
        #expect(try LogLocation("redis+unix:///a/b?db=1").description == "redis+unix:///a/b?db=1")
        #expect(!String(reflecting: try LogLocation("redis://u:canary@h:1/2")).contains("canary"))
    }

    @Test(arguments: [
        ("http://h", "expected redis://"), ("rediss://h", "TLS is not supported"), ("redis://", "is not a host"),
        ("redis://h:0", "0 is not a port"), ("redis://h:70000", "70000 is not a port"),
        ("redis://h:+1", "+1 is not a port"),
        ("redis://h/x", "x is not a database number"), ("redis://u@h", "user:password"),
        ("redis://u:@h", "no password"),
        ("redis://u:canary%4@h", "the password has a malformed percent escape"), ("redis+unix://a", "absolute path"),
        ("redis+unix:///a?x=1", "the only parameter is db"),
    ])
    func `names what is wrong, and no secret`(text: String, reason: String) {
        let failure = #expect(throws: LogLocation.Failure.self) { try LogLocation(text) }
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
        #expect(failure?.description.contains("canary") != true)
    }
}
