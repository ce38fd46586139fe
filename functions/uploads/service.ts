import { Content, type FormFile, type ReadContext, type WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem } from '#problem.ts'
import { sha256Hex } from '#vendors/auth/hash.ts'
import { inspectImage, isPhonePhoto, maxPixels, maxSide } from '#vendors/uploads/inspect.ts'
import { removeJpegMetadata } from '#vendors/uploads/jpeg.ts'
import { removePngExtras } from '#vendors/uploads/png.ts'
import * as queries from './queries.ts'

const maxStoredSide = 1568

const imageErrors = {
  broken: { msg: 'must be a complete image', type: 'broken_image' },
  markup: { msg: 'must not contain HTML or a script', type: 'broken_image' },
  pixels: {
    msg: `must have at most ${maxPixels / 1e6} million pixels, and ${maxSide} per side`,
    type: 'too_many_pixels',
  },
  memory: {
    msg: 'must be smaller, or be saved as a baseline JPEG or a PNG that is not interlaced',
    type: 'too_many_pixels',
  },
} as const

/**
 * Convert an image to a JPEG and store it. Only the decoder's output is stored, never bytes of the uploaded
 * file.
 */
export async function create(ctx: WriteContext, { bytes }: FormFile) {
  const input = inspectImage(bytes)
  if (!input.ok) {
    throw input.reason === 'type'
      ? new Problem('unsupported_media', describeType(bytes))
      : invalidImage(input.reason)
  }
  const jpeg = await convertToJpeg(ctx, removePngExtras(bytes.subarray(0, input.end)))
  const output = inspectImage(jpeg)
  if (!output.ok || Math.max(output.width, output.height) > maxStoredSide) throw new Problem('provider_error')
  const earlier = ctx.isRepeat ? await queries.selectUpload(ctx.db, ctx.workId) : undefined
  if (earlier) return earlier
  const id = ctx.workId
  const object_key = `accounts/${ctx.caller.accountId}/${id}.jpg`
  await ctx.uploads.put(object_key, jpeg).catch(throwProviderError)
  // A crash between the two writes leaves an object without a row, which no request can reach.
  const { width, height } = output
  const upload = { id, object_key, width, height, size: jpeg.byteLength, sha256: await sha256Hex(jpeg) }
  return queries.insertUpload(ctx.db, upload).catch(async (error) => {
    await ctx.uploads.remove(object_key).catch(() => {})
    throw error
  })
}

function describeType(bytes: Uint8Array): string {
  if (!isPhonePhoto(bytes)) return 'Send a PNG, JPEG, WebP or GIF'
  return 'This is a HEIC or AVIF photo. Send it as JPEG: on an iPhone, choose Settings, Camera, Formats, Most Compatible, or share the photo by mail'
}

export async function get(ctx: ReadContext, id: string) {
  const key = await queries.selectObjectKey(ctx.db, id)
  const jpeg = key && (await ctx.uploads.get(key).catch(throwProviderError))
  if (!jpeg) throw notFound('Upload')
  return new Content(jpeg, 'image/jpeg', undefined, `"${id}"`)
}

async function convertToJpeg(
  { uploads, caller: { accountId } }: WriteContext,
  image: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const result = await uploads.toJpeg(image, maxStoredSide, accountId)
  if (result.ok) return removeJpegMetadata(result.jpeg)
  throw result.reason === 'unreadable' ? invalidImage('broken') : new Problem('provider_error')
}

function invalidImage(reason: keyof typeof imageErrors): Problem {
  const { msg, type } = imageErrors[reason]
  return invalidField(['body', 'file'], msg, type)
}

function throwProviderError(cause: unknown): never {
  throw new Problem('provider_error', undefined, { cause })
}
