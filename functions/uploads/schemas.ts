import * as z from 'zod'
import { exampleIds, Id, idParams, Time } from '#http/fields.ts'

export const UploadId = idParams('upload_id', 'upload')

export const Upload = z
  .strictObject({
    id: Id,
    content_type: z.literal('image/jpeg').describe('Every image is stored as a JPEG.'),
    width: z.int().describe('Width in pixels, at most 1568.'),
    height: z.int().describe('Height in pixels, at most 1568.'),
    size: z.int().describe('Size of the stored file in bytes.'),
    created_at: Time,
  })
  .meta({
    id: 'UploadResponse',
    examples: [
      {
        id: exampleIds.upload,
        content_type: 'image/jpeg',
        width: 1568,
        height: 1176,
        size: 214_503,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Upload = z.infer<typeof Upload>
