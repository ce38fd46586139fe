import { type Context, Hono } from 'hono'
import sharp, { type FitEnum, type Sharp } from 'sharp'
import { z } from 'zod'

const Transforms = z.array(
  z.object({ width: z.int().optional(), height: z.int().optional(), fit: z.enum(['scale-down', 'contain', 'cover']).optional() }),
)

/** What the Images binding asks of its service, by sharp. Miniflare has one too, which leaves out quality and background. */
export function imagesRoutes(): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    await next()
    c.header('mf-forwarded-response', 'true')
  })
  app.post('/', async (c) => {
    // Miniflare forwards the binding's own headers under names of its own.
    const type = c.req.header('mf-header-content-type') ?? ''
    const form = await new Response(await c.req.arrayBuffer(), { headers: { 'content-type': type } }).formData()
    const image = form.get('image')
    if (!(image instanceof File)) return refuse(c, 9523, 'No image in the request')
    try {
      const jpeg = await transformed(await image.arrayBuffer(), form)
      return c.body(new Uint8Array(jpeg), 200, { 'content-type': 'image/jpeg' })
    } catch (error) {
      return refuse(c, 9412, error instanceof Error ? error.message : String(error))
    }
  })
  return app
}

async function transformed(image: ArrayBuffer, form: FormData): Promise<Buffer> {
  const text = (name: string) => form.get(name)?.toString()
  if (text('output_format') !== 'image/jpeg') throw new Error('This stand-in makes JPEGs only')
  const opened = sharp(image, { autoOrient: true, failOn: 'error', limitInputPixels: 100_000_000, animated: false })
  const sized = Transforms.parse(JSON.parse(text('transforms') ?? '[]')).reduce(resized, opened)
  // The real one keeps what names the copyright; all of it stays here, so that nobody relies on a decoder to drop any.
  return sized
    .keepExif()
    .flatten({ background: text('background') ?? '#ffffff' })
    .jpeg({ quality: Number(text('output_quality') ?? 80) })
    .toBuffer()
}

const fits = { 'scale-down': 'inside', contain: 'inside', cover: 'cover' } as const satisfies Record<string, keyof FitEnum>

function resized(image: Sharp, { width, height, fit = 'scale-down' }: z.infer<typeof Transforms>[number]): Sharp {
  const size = { ...(width ? { width } : {}), ...(height ? { height } : {}) }
  return image.resize({ ...size, fit: fits[fit], withoutEnlargement: fit === 'scale-down' })
}

function refuse(c: Context, code: number, message: string): Response {
  return c.text(`ERROR ${code}: ${message}`, 400, { 'cf-images-binding': `err=${code}` })
}
