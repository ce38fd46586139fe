import { Buffer } from 'node:buffer'
import type { FieldError } from '#problem.ts'
import type { FormFile } from './operation.ts'

// The platform's parser takes seconds for a form of 100,000 parts, or for a part with a head of megabytes.
const maxParts = 20
const maxHeadBytes = 8 * 1024
const newline = 0x0a
const endMark = Buffer.from('--')

/** Read the one `file` of a form. Other fields, a second file or a missing file are added to `errors`. */
export async function readForm(
  sent: Uint8Array<ArrayBuffer>,
  type: string,
  errors: FieldError[],
): Promise<FormFile | undefined> {
  const form = await parseForm(sent, type)
  if (!form)
    return void errors.push({
      loc: ['body'],
      msg: `must be multipart/form-data of at most ${maxParts} parts, each with a head of at most 8 KiB`,
      type: 'invalid_form',
    })
  const files = form.getAll('file')
  const [file] = files
  for (const key of new Set(form.keys()))
    if (key !== 'file') errors.push({ loc: ['body', key], msg: 'is not a known field', type: 'unknown_key' })
  if (files.length > 1)
    errors.push({ loc: ['body', 'file'], msg: 'must be given only once', type: 'repeated' })
  if (!(file instanceof File))
    return void errors.push({ loc: ['body', 'file'], msg: 'is required', type: 'missing' })
  return { bytes: new Uint8Array(await file.arrayBuffer()), name: file.name, type: file.type }
}

async function parseForm(sent: Uint8Array<ArrayBuffer>, type: string): Promise<FormData | undefined> {
  if (sent.byteLength === 0) return new FormData()
  const boundary = readBoundary(type)
  if (!boundary || !hasShortParts(sent, `--${boundary}`)) return undefined
  try {
    // The platform's parser gets the boundary whose parts were counted, and no other.
    return await new Response(sent, {
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    }).formData()
  } catch {
    return undefined
  }
}

/**
 * Return the one boundary in a media type's parameters, as RFC 2046 (section 5.1.1) allows it, or undefined.
 */
function readBoundary(type: string): string | undefined {
  const parameter = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s;"]+))[ \t]*/gy
  const boundaries: string[] = []
  parameter.lastIndex = Math.max(0, type.indexOf(';'))
  let end = parameter.lastIndex
  for (let match = parameter.exec(type); match; match = parameter.exec(type)) {
    const [, name = '', quoted, token = ''] = match
    if (name.toLowerCase() === 'boundary') boundaries.push(quoted ?? token)
    end = parameter.lastIndex
  }
  const [boundary = ''] = boundaries
  const isValid =
    end === type.length && boundaries.length === 1 && /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/.test(boundary)
  return isValid ? boundary : undefined
}

/** Return whether a form has few parts, and each a short head: RFC 2046, section 5.1.1. */
function hasShortParts(bytes: Uint8Array<ArrayBuffer>, delimiter: string): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isHeadLong = (at: number) => !buffer.subarray(at, at + maxHeadBytes).includes('\r\n\r\n')
  let count = 0
  for (let at = buffer.indexOf(delimiter); at >= 0; at = buffer.indexOf(delimiter, at + 1)) {
    if (++count > maxParts + 1) return false
    const next = at + delimiter.length
    const isLast = buffer.subarray(next, next + 2).equals(endMark)
    const startsPart = (at === 0 || buffer[at - 1] === newline) && !isLast
    if (startsPart && isHeadLong(next)) return false
  }
  return true
}
