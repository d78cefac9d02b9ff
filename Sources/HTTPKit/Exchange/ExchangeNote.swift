/// An object that a handler attaches to a response, and gets back when the exchange has ended (`ExchangeSummary.note`).
package protocol ExchangeNote: AnyObject, Sendable {}
