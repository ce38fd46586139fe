import { operation, stream } from '../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as uploads from './service.ts'

export const uploadOperations = [
  operation({
    id: 'uploads.create',
    method: 'post',
    path: '/uploads',
    summary: 'Store an image, for a chat message or a logo',
    description:
      'PNG, JPEG, WebP or GIF by its content, at most 50 million pixels. It is stored as a JPEG of quality 85 and at most 1568 pixels a side: upright, on white, without metadata, of an animation its first frame.',
    access: 'engineer',
    limit: '20/minute',
    takes: 'file',
    maxBody: 10 * 1024 * 1024,
    idempotent: 'leased',
    success: 201,
    returns: schemas.Upload,
    errors: ['provider_error'],
    handle: ({ ctx, body }) => uploads.store(ctx, body),
  }),

  stream({
    id: 'uploads.get',
    method: 'get',
    path: '/uploads/{upload_id}',
    summary: 'A stored image',
    access: 'user',
    limit: 'read',
    params: schemas.UploadId,
    produces: ['image/jpeg'],
    cached: true,
    errors: ['provider_error'],
    handle: ({ ctx, params }) => uploads.read(ctx, params.upload_id),
  }),
]
