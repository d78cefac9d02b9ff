import LinuxSystem
import Testing

@testable import HTTPCache

/// Events of transfers and tiers.
@Suite(.timeLimit(.minutes(1)))
struct ActivityEventTests {
    @Test(arguments: [
        ("https://a.example/b/c.jpg", "https://a.example/b/c.jpg"),
        ("https://a.example/b?X-Amz-Signature=1&w=2", "https://a.example/b?…"),
        ("https://user:pa%40ss@a.example/b@c", "https://a.example/b@c"),
        ("https://u@v@a.example", "https://a.example"), ("folder/a@2x.png", "folder/a@2x.png"), ("", ""),
    ])
    func `shows no credentials and no query`(_ url: String, _ shown: String) {
        #expect(ActivityEvent(.started, source: "a", url: url).url == shown)
    }
}
