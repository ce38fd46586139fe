import { uuidv7 } from '../../lib/db/uuid.ts'
import { Content, type FormFile, type Reader, type Writer } from '../../lib/http/operation.ts'
import { invalid, Problem } from '../../lib/problem.ts'
import { inspect, maxPixels, maxSide } from '../../lib/uploads/inspect.ts'
import { withoutMetadata } from '../../lib/uploads/jpeg.ts'
import * as queries from './queries.ts'

const storedSide = 1568

const mistakes = {
  broken: { msg: 'The image is not whole, or holds more than an image', type: 'broken_image' },
  markup: { msg: 'The image holds a page or a script', type: 'broken_image' },
  pixels: { msg: `The image has over ${maxPixels / 1e6} million pixels, or over ${maxSide} on a side`, type: 'too_many_pixels' },
} as const

/** Stores a picture anew: what is kept was made by the decoder, and nothing of the file that was sent. */
export async function store(ctx: Writer, { bytes }: FormFile) {
  const seen = inspect(bytes)
  if (!seen.ok) throw seen.reason === 'type' ? new Problem('unsupported_media', 'Send a PNG, JPEG, WebP or GIF') : refused(seen.reason)
  const jpeg = await converted(ctx, bytes.subarray(0, seen.end))
  const made = inspect(jpeg)
  if (!made.ok || Math.max(made.width, made.height) > storedSide) throw new Problem('provider_error')
  const id = uuidv7()
  const object_key = `accounts/${ctx.caller.accountId}/${id}.jpg`
  await ctx.uploads.put(object_key, jpeg).catch(failed)
  // A crash between the two leaves an object that no row names and nobody can reach.
  return queries
    .insertUpload(ctx.db, { id, object_key, width: made.width, height: made.height, size: jpeg.byteLength })
    .catch(async (error) => {
      await ctx.uploads.remove(object_key).catch(() => {})
      throw error
    })
}

export async function read(ctx: Reader, id: string) {
  const key = await queries.selectKey(ctx.db, id)
  const jpeg = key && (await ctx.uploads.get(key).catch(failed))
  if (!jpeg) throw new Problem('not_found', 'Upload not found')
  return new Content(jpeg, 'image/jpeg', undefined, `"${id}"`)
}

async function converted({ uploads }: Writer, image: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await uploads.toJpeg(image, storedSide)
  if (answer.ok) return withoutMetadata(answer.jpeg)
  throw answer.reason === 'unreadable' ? refused('broken') : new Problem('provider_error')
}

function refused(reason: keyof typeof mistakes): Problem {
  return invalid([{ loc: ['body', 'file'], ...mistakes[reason] }])
}

function failed(cause: unknown): never {
  throw new Problem('provider_error', undefined, { cause })
}
