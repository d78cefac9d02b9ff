// Loaded before the suite's origin (node --import): its 200s become images that contain their text and fields.
//
// An image source forwards no client fields, so the suite's Req-Num is sent to the origin separately:
// PUT /req-num/TEST/NUMBER.
import http from 'node:http'
import { pack } from './picture.mjs'

const numbers = new Map()
const emit = http.Server.prototype.emit
http.Server.prototype.emit = function (event, request, response) {
  if (event !== 'request') return emit.apply(this, arguments)
  const [, kind, test, number] = request.url.split('/')
  if (kind === 'req-num') {
    numbers.set(test, number)
    return response.end()
  }
  if (kind === 'test') request.headers['req-num'] ??= numbers.get(test)
  return emit.apply(this, arguments)
}

const end = http.ServerResponse.prototype.end
http.ServerResponse.prototype.end = function (content, ...rest) {
  const isTest = this.req.url.startsWith('/test/') && typeof content === 'string'
  if (!isTest || this.statusCode !== 200) return end.call(this, content, ...rest)
  return end.call(this, pack({ text: content, fields: this.getHeaders() }))
}
