import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ClientAccountsTests {
    @Test func `counts what each account uses, and forgets those that use nothing`() {
        let accounts = ClientAccounts()
        #expect(accounts.add(1, .connections, to: "a") == 1)
        #expect(accounts.add(1, .connections, to: "a") == 2)
        #expect(accounts.add(1, .connections, to: "b") == 1)
        accounts.add(1, .waitingDownloads, to: "b")
        #expect(accounts.count == 2)
        #expect(accounts.use(of: "b").connections == 1 && accounts.use(of: "b").waitingDownloads == 1)
        accounts.add(-2, .connections, to: "a")
        #expect(accounts.count == 1)
        #expect(accounts.use(of: "a").connections == 0)
    }

    @Test func `downloads add up their time until the account is idle`() {
        let accounts = ClientAccounts()
        accounts.add(2, .downloads, to: "a")
        accounts.endDownload(of: "a", milliseconds: 30)
        #expect(accounts.use(of: "a").downloadMilliseconds == 30)
        accounts.endDownload(of: "a", milliseconds: 20)
        #expect(accounts.count == 0)
        accounts.endDownload(of: "a", milliseconds: 20)
        #expect(accounts.count == 0)
    }

    @Test func `lists the accounts that use the most, downloads before connections`() {
        let accounts = ClientAccounts()
        accounts.add(100, .connections, to: "connected")
        accounts.add(2, .waitingDownloads, to: "waiting")
        accounts.add(1, .downloads, to: "loading")
        accounts.add(1, .connections, to: "loading")
        accounts.add(1, .connections, to: "idle")
        #expect(accounts.largest(3).map(\.account) == ["waiting", "loading", "connected"])
        #expect(accounts.largest(9).count == 4)
    }
}
