import sharp from 'sharp'
import { type ApiResponse, request, type Service } from './app.ts'
import type { Person } from './people.ts'

type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif'
export type Bytes = Uint8Array<ArrayBuffer>

/** Encode an image of one colour, or of noise, which no encoder can compress well. */
export async function createImage(
  format: ImageFormat,
  width: number,
  height: number,
  { noise = false, alpha = 1 } = {},
): Promise<Bytes> {
  const background = { r: 200, g: 30, b: 30, alpha }
  const channels = alpha < 1 ? 4 : 3
  const plain = { width, height, channels, background } as const
  const image = sharp({
    create: noise ? { ...plain, noise: { type: 'gaussian', mean: 128, sigma: 60 } } : plain,
  })
  return copyBytes(await image.toFormat(format).toBuffer())
}

/** Copy bytes into their own ArrayBuffer. A Node Buffer may be a view of a larger one. */
export function copyBytes(bytes: Uint8Array): Bytes {
  return new Uint8Array(bytes)
}

/** Concatenate bytes and Latin-1 strings. */
export function concatBytes(...parts: (Uint8Array | string)[]): Bytes {
  return copyBytes(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part))),
  )
}

/** Encode a multipart form with one file, and return its bytes and headers. */
export async function encodeFileForm(
  bytes: Bytes,
  name = 'photo.png',
  type = 'image/png',
): Promise<{ bytes: Bytes; headers: Record<string, string> }> {
  const form = new FormData()
  form.append('file', new File([bytes], name, { type }))
  const response = new Response(form)
  return {
    bytes: copyBytes(new Uint8Array(await response.arrayBuffer())),
    headers: { 'content-type': response.headers.get('content-type') ?? '' },
  }
}

export async function uploadImage(
  service: Service,
  { token }: Pick<Person, 'token'>,
  image: Bytes,
  { name, type, headers = {} }: { name?: string; type?: string; headers?: Record<string, string> } = {},
): Promise<ApiResponse> {
  const form = await encodeFileForm(image, name, type)
  return request(service, 'POST', '/uploads', {
    token,
    raw: form.bytes,
    headers: { ...form.headers, ...headers },
  })
}

export async function downloadUpload(
  service: Service,
  { token }: Pick<Person, 'token'>,
  id: string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${service.api}/api/v1/uploads/${id}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  return {
    status: response.status,
    headers: response.headers,
    bytes: copyBytes(new Uint8Array(await response.arrayBuffer())),
  }
}
