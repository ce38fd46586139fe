import { withTimeout } from '#vendors/net/send-result.ts'
import { jpegQuality, smallestGif, type UploadsPort } from '#vendors/uploads/uploads.ts'

/** The part of Cloudflare's Images binding that this service uses. */
export interface ImagesBinding {
  input(image: ReadableStream): ImageTransformer
  info(image: ReadableStream): Promise<unknown>
}
interface ImageTransformer {
  transform(options: { width: number; height: number; fit: 'scale-down' }): ImageTransformer
  output(options: {
    format: 'image/jpeg'
    quality: number
    background: string
    anim: boolean
  }): Promise<{ response(): Response }>
}

// Codes to report as `failed` instead of `unreadable`: wrong options, quota exceeded, internal error,
// time-out.
const serviceErrorCodes = new Set([9401, 9422, 9523, 9524, 9529])

/**
 * Create a `toJpeg` that converts with Cloudflare Images. The binding has no time-out; each call ends after
 * `timeoutMs`.
 */
export function imagesConversion(
  images: ImagesBinding | undefined,
  timeoutMs: number,
): Pick<UploadsPort, 'toJpeg' | 'pingDecoder'> {
  const open = () => {
    if (!images) throw new Error('The Worker has no IMAGES binding')
    return images
  }
  return {
    async toJpeg(image, maxSide) {
      const binding = open()
      try {
        return { ok: true, jpeg: await withTimeout(timeoutMs, convertImage(binding, image, maxSide)) }
      } catch (error) {
        return { ok: false, reason: isImageError(error) ? 'unreadable' : 'failed' }
      }
    },
    async pingDecoder() {
      // Reads the header of an image without transforming it, and Images bills transformations:
      // https://developers.cloudflare.com/images/pricing/
      await withTimeout(timeoutMs, open().info(new Blob([smallestGif]).stream()))
    },
  }
}

async function convertImage(
  images: ImagesBinding,
  image: Uint8Array<ArrayBuffer>,
  side: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const transformer = images
    .input(new Blob([image]).stream())
    .transform({ width: side, height: side, fit: 'scale-down' })
  const result = await transformer.output({
    format: 'image/jpeg',
    quality: jpegQuality,
    background: '#ffffff',
    anim: false,
  })
  return new Uint8Array(await result.response().arrayBuffer())
}

/** Return whether the decoder refused the image, rather than failed itself. */
function isImageError(error: unknown): boolean {
  const code =
    error instanceof Error && !(error instanceof DOMException) && 'code' in error ? error.code : undefined
  return typeof code === 'number' && !serviceErrorCodes.has(code)
}
