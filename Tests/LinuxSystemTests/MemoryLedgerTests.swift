import LinuxSystem
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryLedgerTests {
    @Test func `counts the bytes of charges until they are released`() {
        let ledger = MemoryLedger(limit: 100)
        do {
            let first = MemoryCharge(to: ledger)
            #expect(first.add(40) && first.add(30) && ledger.used == 70)
            #expect(!first.add(31) && ledger.used == 70 && ledger.refusals == 1)
            let second = MemoryCharge(to: ledger)
            #expect(second.add(30) && !second.add(1))
            first.release()
            #expect(ledger.used == 30 && first.add(70) && ledger.used == 100)
        }
        #expect(ledger.used == 0 && ledger.refusals == 2)
    }

    @Test func `a lower limit refuses more, and takes nothing away`() {
        let ledger = MemoryLedger(limit: 100)
        let charge = MemoryCharge(to: ledger)
        #expect(charge.add(80))
        ledger.setLimit(50)
        #expect(!charge.add(1) && ledger.used == 80 && ledger.limit == 50)
        charge.release()
        charge.release()
        #expect(ledger.used == 0 && charge.add(50))
    }

    @Test func `a descriptor keeps its charge until its last owner releases it`() {
        let ledger = MemoryLedger(limit: 100)
        func open() -> SharedDescriptor? {
            let charge = MemoryCharge(to: ledger)
            return charge.add(10) ? SharedDescriptor(owning: -1, charge: charge) : nil
        }
        var owners = [open()]
        owners.append(owners[0])
        owners[0] = nil
        #expect(ledger.used == 10)
        owners[1] = nil
        #expect(ledger.used == 0)
    }
}
