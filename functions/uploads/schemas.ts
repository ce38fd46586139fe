import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'

export const UploadId = idParams('upload_id', 'upload')

export const Upload = z
  .strictObject({
    id: Id,
    content_type: z.literal('image/jpeg').describe('Every image is stored as a JPEG.'),
    width: z.int().describe('Width in pixels, at most 1568.').meta({ example: 1568 }),
    height: z.int().describe('Height in pixels, at most 1568.').meta({ example: 1176 }),
    size: z.int().describe('Size of the stored file in bytes.').meta({ example: 214_503 }),
    created_at: Time,
  })
  .meta({ id: 'UploadResponse' })
export type Upload = z.infer<typeof Upload>
