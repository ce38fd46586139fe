import { type Context, Hono } from 'hono'
import sharp, { type FitEnum, type Sharp } from 'sharp'
import * as z from 'zod'

const Transforms = z.array(
  z.object({
    width: z.int().optional(),
    height: z.int().optional(),
    fit: z.enum(['scale-down', 'contain', 'cover']).optional(),
  }),
)

/**
 * Create the service behind the Images binding, with sharp. Miniflare's own one ignores quality and
 * background.
 */
export function createImagesRoutes(): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    await next()
    c.header('mf-forwarded-response', 'true')
  })
  app.post('/', async (c) => {
    // Miniflare forwards the binding's headers with a prefix.
    const type = c.req.header('mf-header-content-type') ?? ''
    const form = await new Response(await c.req.arrayBuffer(), {
      headers: { 'content-type': type },
    }).formData()
    const image = form.get('image')
    if (!(image instanceof File)) return sendError(c, 9523, 'No image in the request')
    try {
      // Miniflare sends every call of the binding to `/`, with the address that Cloudflare's own binding
      // calls in a header.
      if (c.req.header('mf-url')?.endsWith('/info'))
        return c.json(await readImageInfo(await image.arrayBuffer()))
      const jpeg = await transformImage(await image.arrayBuffer(), form)
      return c.body(new Uint8Array(jpeg), 200, { 'content-type': 'image/jpeg' })
    } catch (error) {
      return sendError(c, 9412, error instanceof Error ? error.message : String(error))
    }
  })
  return app
}

async function readImageInfo(image: ArrayBuffer) {
  const { format, width, height } = await sharp(image).metadata()
  return { format: `image/${format}`, file_size: image.byteLength, width, height }
}

async function transformImage(image: ArrayBuffer, form: FormData): Promise<Buffer> {
  const field = (name: string) => form.get(name)?.toString()
  if (field('output_format') !== 'image/jpeg') throw new Error('The local emulator only creates JPEG images')
  const original = sharp(image, {
    autoOrient: true,
    failOn: 'error',
    limitInputPixels: 100_000_000,
    animated: false,
  })
  const resized = Transforms.parse(JSON.parse(field('transforms') ?? '[]')).reduce(resizeImage, original)
  // Cloudflare keeps some metadata. All metadata stays here, so that the service cannot rely on this step to
  // remove it.
  return resized
    .keepExif()
    .flatten({ background: field('background') ?? '#ffffff' })
    .jpeg({ quality: Number(field('output_quality') ?? 80) })
    .toBuffer()
}

const sharpFits = { 'scale-down': 'inside', contain: 'inside', cover: 'cover' } as const satisfies Record<
  string,
  keyof FitEnum
>

function resizeImage(
  image: Sharp,
  { width, height, fit = 'scale-down' }: z.infer<typeof Transforms>[number],
): Sharp {
  const size = { width: width || undefined, height: height || undefined }
  return image.resize({ ...size, fit: sharpFits[fit], withoutEnlargement: fit === 'scale-down' })
}

function sendError(c: Context, code: number, message: string): Response {
  return c.text(`ERROR ${code}: ${message}`, 400, { 'cf-images-binding': `err=${code}` })
}
