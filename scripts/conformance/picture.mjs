// Images that contain a response of the suite's origin: PNGs with the text and the fields in a tEXt chunk (PNG §11.3.3.2).
//
// An image source serves an original unchanged, so the client can read what the origin has written.
import zlib from 'node:zlib'

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const keyword = Buffer.from('answer\0')

const table = Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

// The checksum of a chunk (PNG annex D); Node 20 lacks zlib.crc32.
function checksum (bytes) {
  let value = 0xffffffff
  for (const byte of bytes) value = table[(value ^ byte) & 255] ^ (value >>> 8)
  return ~value >>> 0
}

function chunk (type, content) {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  const body = Buffer.concat([Buffer.from(type), content])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(checksum(body))
  return Buffer.concat([length, body, end])
}

// An image of one grey pixel that contains a value.
export function pack (value) {
  const text = Buffer.from(Buffer.from(JSON.stringify(value)).toString('base64'))
  return Buffer.concat([
    signature,
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])),
    chunk('tEXt', Buffer.concat([keyword, text])),
    chunk('IDAT', zlib.deflateSync(Buffer.from([0, 127]))),
    chunk('IEND', Buffer.alloc(0))
  ])
}

// The value in an image; undefined for anything else.
export function unpack (bytes) {
  const start = bytes.indexOf(Buffer.concat([Buffer.from('tEXt'), keyword]))
  if (!bytes.subarray(0, 8).equals(signature) || start < 0) return undefined
  const length = bytes.readUInt32BE(start - 4)
  const text = bytes.subarray(start + 4 + keyword.length, start + 4 + length)
  return JSON.parse(Buffer.from(text.toString(), 'base64').toString())
}
