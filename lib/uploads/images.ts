import type { UploadsPort } from './uploads.ts'

/** The part of Cloudflare's Images binding that this service uses. */
export interface ImagesBinding {
  input(image: ReadableStream): ImageTransformer
}
interface ImageTransformer {
  transform(options: { width: number; height: number; fit: 'scale-down' }): ImageTransformer
  output(options: { format: 'image/jpeg'; quality: number; background: string; anim: boolean }): Promise<{ response(): Response }>
}

const quality = 85
// Codes to report as `failed` instead of `unreadable`: wrong options, quota exceeded, internal error, time-out.
const serviceErrorCodes = new Set([9401, 9422, 9523, 9524, 9529])

/** Create a `toJpeg` that converts with Cloudflare Images. */
export function imagesConversion(images: ImagesBinding | undefined): Pick<UploadsPort, 'toJpeg'> {
  return {
    async toJpeg(image, maxSide) {
      if (!images) throw new Error('The Worker has no IMAGES binding')
      try {
        const transformer = images.input(new Blob([image]).stream()).transform({ width: maxSide, height: maxSide, fit: 'scale-down' })
        const result = await transformer.output({ format: 'image/jpeg', quality, background: '#ffffff', anim: false })
        return { ok: true, jpeg: new Uint8Array(await result.response().arrayBuffer()) }
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined
        return { ok: false, reason: typeof code === 'number' && !serviceErrorCodes.has(code) ? 'unreadable' : 'failed' }
      }
    },
  }
}
