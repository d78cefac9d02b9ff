// Loaded before the suite's client (node --import): removes the cases that do not apply to an image source, and reads texts and
// fields from images.
//
// Environment: PICTURE_SUITE, the checkout; PICTURE_BASE and PICTURE_ORIGIN, the URLs of the source and of the origin;
// PICTURE_SKIPPED, a file for the skipped cases.
import fs from 'node:fs'
import { reasonNotToAsk } from './picture-cases.mjs'
import { unpack } from './picture.mjs'

const { PICTURE_SUITE: suite, PICTURE_BASE: base, PICTURE_ORIGIN: origin, PICTURE_SKIPPED: file } = process.env
const { default: suites } = await import(`${suite}/tests/index.mjs`)
const skipped = {}
for (const set of suites) {
  set.tests = set.tests.filter(test => {
    const reason = reasonNotToAsk(test)
    if (reason && !test.browser_only) skipped[test.id] = reason
    return !reason
  })
}
fs.writeFileSync(file, JSON.stringify(skipped))

// The fields that an image source sets itself; all others are read from the image.
const stated = ['age', 'cache-control', 'cache-status', 'last-modified', 'content-length', 'retry-after']

const ask = globalThis.fetch
globalThis.fetch = async (url, init = {}) => {
  const path = String(url).slice(base.length)
  if (!path.startsWith('/test/')) return ask(origin + path, init)
  const number = init.headers.find(([name]) => name === 'Req-Num')[1]
  await ask(`${origin}/req-num/${path.split('/')[2]}/${number}`, { method: 'PUT' })
  const response = await ask(url, init)
  const bytes = Buffer.from(await response.arrayBuffer())
  const carried = unpack(bytes)
  const headers = new Headers(carried ? undefined : response.headers)
  for (const [name, value] of Object.entries(carried?.fields ?? {})) {
    for (const line of [value].flat()) headers.append(name, line)
  }
  // Only an image source sends the Age of a first response ('How the cache decides').
  const way = response.headers.get('cache-status') ?? ''
  const isFirst = carried && way.includes('fwd=') && !way.includes('fwd-status=304')
  for (const name of stated) {
    if (isFirst && name === 'age') continue
    headers.delete(name)
    if (response.headers.has(name)) headers.set(name, response.headers.get(name))
  }
  const isEmpty = [204, 304].includes(response.status) || init.method === 'HEAD'
  return new Response(isEmpty ? null : carried?.text ?? bytes, { status: response.status, headers })
}
