import sharp from 'sharp'
import { limitPerKey } from '#async/limit-per-key.ts'
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
 * call of the decoder ends after `timeoutMs`. An image that waits half as long for a place is 503.
 */
export function sharpConversion(timeoutMs: number): Pick<UploadsPort, 'toJpeg' | 'pingDecoder'> {
  // An image of 50 million pixels may take 400 MB while it is decoded, and one that waits up to 10 MB.
  const takePlace = limitPerKey({ running: 2, waiting: 16, maxWaitMs: timeoutMs / 2 })
  // So that the slow images of an account do not delay those of others.
  const takeAccountPlace = limitPerKey({ running: 1, waiting: 10, maxWaitMs: timeoutMs / 2 })
  return {
    async toJpeg(image, maxSide, accountId) {
      const leaveAccount = await takeAccountPlace(accountId).catch(throwBusy)
      const leave = await takePlace('all').catch((error: unknown) => {
        leaveAccount()
        return throwBusy(error)
      })
      // The places become free when the decoder has stopped, not when the caller stops waiting.
      const conversion = convertImage(image, maxSide, timeoutMs).finally(() => {
        leave()
        leaveAccount()
      })
      try {
        return { ok: true, jpeg: await withTimeout(timeoutMs, conversion) }
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

function throwBusy(cause: unknown): never {
  throw new Problem('unavailable', 'Too many images are converted at the moment; try again', {
    cause,
    headers: { 'retry-after': '10' },
  })
}

/** Return whether the decoder refused the image. Its own failures are a time-out, or too little memory. */
function isImageError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DOMException) return false
  return !/^timeout|out of memory/i.test(error.message)
}
