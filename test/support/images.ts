import sharp from 'sharp'
import type { Answer, Service } from './app.ts'
import { request } from './app.ts'
import type { Person } from './people.ts'

type Kind = 'png' | 'jpeg' | 'webp' | 'gif'
export type Bytes = Uint8Array<ArrayBuffer>

/** A picture of one colour, or of noise, which no encoder makes small. */
export async function picture(kind: Kind, width: number, height: number, { noise = false, alpha = 1 } = {}): Promise<Bytes> {
  const background = { r: 200, g: 30, b: 30, alpha }
  const channels = alpha < 1 ? 4 : 3
  const plain = { width, height, channels, background } as const
  const made = sharp({ create: noise ? { ...plain, noise: { type: 'gaussian', mean: 128, sigma: 60 } } : plain })
  return own(await made.toFormat(kind).toBuffer())
}

export function own(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes)
}

export function joined(...parts: (Uint8Array | string)[]): Bytes {
  return own(Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))))
}

/** A form with a file as it goes over the wire. */
export async function formOf(
  bytes: Bytes,
  name = 'photo.png',
  type = 'image/png',
): Promise<{ bytes: Bytes; headers: Record<string, string> }> {
  const form = new FormData()
  form.append('file', new File([bytes], name, { type }))
  const encoded = new Response(form)
  return { bytes: own(new Uint8Array(await encoded.arrayBuffer())), headers: { 'content-type': encoded.headers.get('content-type') ?? '' } }
}

export async function upload(
  service: Service,
  { token }: Pick<Person, 'token'>,
  image: Bytes,
  { name, type, headers = {} }: { name?: string; type?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const form = await formOf(image, name, type)
  return request(service, 'POST', '/uploads', { token, raw: form.bytes, headers: { ...form.headers, ...headers } })
}

export async function download(service: Service, { token }: Pick<Person, 'token'>, id: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.api}/api/v1/uploads/${id}`, { headers: { authorization: `Bearer ${token}`, ...headers } })
  return { status: answer.status, headers: answer.headers, bytes: own(new Uint8Array(await answer.arrayBuffer())) }
}
