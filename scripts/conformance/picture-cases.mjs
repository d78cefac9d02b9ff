// The cases of the suite that do not apply to an image source: because of a deliberate difference (the page 'How the cache decides'),
// because its query requests transforms and its bytes are those of an image, or because it drops interim responses.

// The fields that an image source sends, and those that identify the origin's response.
const told = new Set([
  'age', 'cache-control', 'last-modified', 'cache-status', 'a', 'client-request-count', 'server-request-count'
])

const byRequest = [
  ['Methods', request => !['GET', 'HEAD', undefined].includes(request.request_method)],
  ['HEAD', request => request.request_method === 'HEAD'],
  ['Query', request => 'query_arg' in request],
  ['Interim responses', request => 'interim_responses' in request],
  ['Request directives', request => demands(request)],
  ['Authorization', request => has(request.request_headers, 'authorization')],
  ['Request conditions', request => has(request.request_headers, 'if-none-match')],
  ['Ranges, whose bytes are those of an image', request => has(request.request_headers, 'range')],
  ['Redirects', request => status(request) >= 300 && status(request) < 400],
  ['Status of a failure', request => status(request) !== 200 && request.expected_status !== 200],
  ['Set-Cookie', request => has(request.response_headers, 'set-cookie')],
  ['Vary', request => (request.response_headers ?? []).some(([name, value]) => is(name, 'vary') && value !== '*')],
  ['Origin fields', request => asksForFields(request)]
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

// The reason why a case does not apply; undefined if it does.
export function reasonNotToAsk (test) {
  if (test.id.startsWith('heuristic')) return 'Freshness not stated by the origin'
  if (test.id.startsWith('headers-omit')) return 'Origin fields'
  for (const [reason, applies] of byRequest) if (test.requests.some(applies)) return reason
}
