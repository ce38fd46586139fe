import { operation, stream } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as uploads from './service.ts'

export const uploadOperations = [
  operation({
    id: 'uploads.create',
    route: 'POST /uploads',
    summary: 'Upload an image',
    description: `For chat messages and logos. Accepts PNG, JPEG, WebP and GIF, detected by content, with at most 50 million pixels and
12,000 per side; of an interlaced PNG, a JPEG with several scans, a GIF or a WebP with transparency at most what is decoded in 160 MB. The image is stored as a JPEG of quality 85 with at most 1568 pixels per side. It is upright, on a white background and
without metadata. Only the first frame of an animation is stored.`,
    access: 'engineer',
    limit: '20/minute',
    bodyFormat: 'file',
    maxBody: 10 * 1024 * 1024,
    idempotent: 'leased',
    returns: schemas.Upload,
    errors: ['limit_reached', 'provider_error'],
    handle: ({ ctx, body }) => uploads.create(ctx, body),
  }),

  stream({
    id: 'uploads.get',
    route: 'GET /uploads/{upload_id}',
    summary: 'Download an image',
    description: 'The stored image, which is a JPEG.',
    access: 'user',
    limit: 'read',
    params: schemas.UploadId,
    produces: ['image/jpeg'],
    transport: { hasEtag: true },
    errors: ['provider_error'],
    handle: ({ ctx, params }) => uploads.get(ctx, params.upload_id),
  }),
]
