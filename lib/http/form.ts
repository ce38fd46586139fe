import { Buffer } from 'node:buffer'
import type { Invalid } from '../problem.ts'
import type { FormFile } from './operation.ts'

// A form of a hundred thousand parts takes the platform's parser seconds.
const maxParts = 20

/** The one `file` of a form; what else it holds, or does not, is a mistake. */
export async function readForm(sent: Uint8Array<ArrayBuffer>, type: string, errors: Invalid[]): Promise<FormFile | undefined> {
  const form = await parse(sent, type)
  if (!form) return void errors.push({ loc: ['body'], msg: `Not multipart/form-data of at most ${maxParts} parts`, type: 'invalid_form' })
  const files = form.getAll('file')
  const [file] = files
  for (const key of new Set(form.keys())) if (key !== 'file') errors.push({ loc: ['body', key], msg: 'Unknown key', type: 'unknown_key' })
  if (files.length > 1) errors.push({ loc: ['body', 'file'], msg: 'Given more than once', type: 'repeated' })
  if (!(file instanceof File)) return void errors.push({ loc: ['body', 'file'], msg: 'A file is required', type: 'missing' })
  return { bytes: new Uint8Array(await file.arrayBuffer()), name: file.name, type: file.type }
}

async function parse(sent: Uint8Array<ArrayBuffer>, type: string): Promise<FormData | undefined> {
  if (sent.byteLength === 0) return new FormData()
  const [, boundary] = /boundary="?([^";]+)/i.exec(type) ?? []
  if (!boundary || hasMore(sent, `--${boundary}`, maxParts + 1)) return undefined
  try {
    return await new Response(sent, { headers: { 'content-type': type } }).formData()
  } catch {
    return undefined
  }
}

/** Whether a text occurs more often than `times` in some bytes. */
function hasMore(bytes: Uint8Array<ArrayBuffer>, text: string, times: number): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = -1
  for (let n = 0; n <= times; n++) {
    at = buffer.indexOf(text, at + 1)
    if (at < 0) return false
  }
  return true
}
