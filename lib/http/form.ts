import { Buffer } from 'node:buffer'
import type { FieldError } from '#problem.ts'
import type { FormFile } from './operation.ts'

// The platform's parser takes seconds for a form of 100,000 parts.
const maxParts = 20

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
      msg: `must be multipart/form-data of at most ${maxParts} parts`,
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
  if (!boundary || occursMoreThan(sent, `--${boundary}`, maxParts + 1)) return undefined
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

function occursMoreThan(bytes: Uint8Array<ArrayBuffer>, text: string, times: number): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = -1
  for (let n = 0; n <= times; n++) {
    at = buffer.indexOf(text, at + 1)
    if (at < 0) return false
  }
  return true
}
