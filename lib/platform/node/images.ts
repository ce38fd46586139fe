import sharp from 'sharp'
import { limitConcurrency } from '#async/limit-concurrency.ts'
import { Problem } from '#problem.ts'
import { withTimeout } from '#vendors/net/send-result.ts'
import { maxPixels } from '#vendors/uploads/inspect.ts'
import { jpegQuality, smallestGif, type UploadsPort } from '#vendors/uploads/uploads.ts'

// The settings of libvips belong to the process. Only the decoders of the four accepted formats stay enabled,
// which leaves fewer ways to attack: https://sharp.pixelplumbing.com/api-utility/#block
const decoders = ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif']
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: decoders })
// The cache would keep decoded images that nobody asks for again. One thread per image: `runLimited` decides
// how many run.
sharp.cache(false)
sharp.concurrency(1)

/**
 * Create a `toJpeg` that converts with sharp: one per process, because each limits its own images only. Each
 * call ends after `timeoutMs`, the time in the queue included.
 */
export function sharpConversion(timeoutMs: number): Pick<UploadsPort, 'toJpeg' | 'pingDecoder'> {
  // An image of 50 million pixels may take 200 MB while it is decoded, and one that waits up to 10 MB.
  const runLimited = limitConcurrency({ running: 2, waiting: 16 })
  return {
    async toJpeg(image, maxSide) {
      const startBy = performance.now() + timeoutMs
      const convert = async () => {
        // Nobody waits for the result any more.
        if (performance.now() >= startBy) throw new Error('timeout')
        return convertImage(image, maxSide, timeoutMs)
      }
      try {
        // A place becomes free when the decoder has stopped, not when the caller stops waiting.
        return { ok: true, jpeg: await withTimeout(timeoutMs, runLimited(convert)) }
      } catch (error) {
        return { ok: false, reason: isImageError(error) ? 'unreadable' : 'failed' }
      }
    },
    async pingDecoder() {
      await withTimeout(timeoutMs, sharp(smallestGif).metadata())
    },
  }
}

async function convertImage(
  image: Uint8Array<ArrayBuffer>,
  side: number,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const jpeg = await sharp(image, {
    autoOrient: true,
    failOn: 'error',
    limitInputPixels: maxPixels,
    pages: 1,
  })
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: jpegQuality })
    .timeout({ seconds: Math.ceil(timeoutMs / 1000) })
    .toBuffer()
  return new Uint8Array(jpeg)
}

/**
 * Return whether the decoder refused the image. Its own failures are a time-out, too little memory, or too
 * much waiting work.
 */
function isImageError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DOMException || error instanceof Problem) return false
  return !/^timeout|out of memory/i.test(error.message)
}
