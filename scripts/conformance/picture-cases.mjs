// Which cases of the suite a picture source cannot be asked: for a deliberate difference (the page 'How the cache decides'), or
// since its query is a request for a transform, its bytes are a picture's, and interim responses are dropped.

// What a picture source states, and what tells here which answer of the origin a picture is.
const told = new Set([
  'age', 'cache-control', 'last-modified', 'cache-status', 'a', 'client-request-count', 'server-request-count'
])

const byRequest = [
  ['Methods', request => !['GET', 'HEAD', undefined].includes(request.request_method)],
  ['HEAD', request => request.request_method === 'HEAD'],
  ['Query', request => 'query_arg' in request],
  ['Interim responses', request => 'interim_responses' in request],
  ['Directives of the request', request => demands(request)],
  ['Authorization', request => has(request.request_headers, 'authorization')],
  ['Conditions of the request', request => has(request.request_headers, 'if-none-match')],
  ['Parts, whose bytes are a picture\'s', request => has(request.request_headers, 'range')],
  ['Redirects', request => status(request) >= 300 && status(request) < 400],
  ['Status of a failure', request => status(request) !== 200 && request.expected_status !== 200],
  ['Set-Cookie', request => has(request.response_headers, 'set-cookie')],
  ['Vary', request => (request.response_headers ?? []).some(([name, value]) => is(name, 'vary') && value !== '*')],
  ['Fields of the origin', request => asksForFields(request)]
]

function status (request) { return request.response_status?.[0] ?? 200 }
function is (name, other) { return name.toLowerCase() === other }
function has (headers, ...names) { return (headers ?? []).some(([name]) => names.includes(name.toLowerCase())) }
function demands (request) {
  return (request.request_headers ?? []).some(([name, value]) =>
    is(name, 'pragma') || (is(name, 'cache-control') && value !== 'only-if-cached'))
}
function asksForFields (request) {
  const asked = [...(request.expected_response_headers ?? []), ...(request.expected_response_headers_missing ?? [])]
  return asked.some(field => !told.has((typeof field === 'string' ? field : field[0]).toLowerCase()))
}

// The difference; undefined where the case can be asked.
export function reasonNotToAsk (test) {
  if (test.id.startsWith('heuristic')) return 'Freshness that the origin does not state'
  if (test.id.startsWith('headers-omit')) return 'Fields of the origin'
  for (const [reason, applies] of byRequest) if (test.requests.some(applies)) return reason
}
