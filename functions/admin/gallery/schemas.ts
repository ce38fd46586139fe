import * as z from 'zod'
import { Id } from '#http/fields.ts'

export const GalleryFlowUpdate = z
  .strictObject({
    is_featured: z
      .boolean()
      .describe('Whether the gallery shows the flow before flows that are not featured.')
      .meta({ example: true }),
    sort_order: z
      .int()
      .min(-1_000_000)
      .max(1_000_000)
      .describe('Position among equally featured entries; smaller values first.')
      .meta({ example: 10 }),
    is_hidden: z
      .boolean()
      .describe('Whether staff hide the flow from the gallery, even if its account has made it public.'),
  })
  .partial()
  .meta({ id: 'GalleryFlowUpdate' })
export type GalleryFlowUpdate = z.infer<typeof GalleryFlowUpdate>

export const GalleryFlowState = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    account_id: Id.describe('The account that owns it.'),
    name: z.string().describe('The name of the flow.'),
    is_featured: z
      .boolean()
      .describe('Whether the gallery shows the flow before flows that are not featured.'),
    sort_order: z
      .int()
      .describe('Position among equally featured entries; smaller values first.')
      .meta({ example: 10 }),
    is_hidden: z.boolean().describe('Whether staff hide the flow from the gallery.'),
    is_shown: z
      .boolean()
      .describe('Whether the gallery shows the flow: it is public, published and not hidden.'),
  })
  .meta({ id: 'GalleryFlowState' })
export type GalleryFlowState = z.infer<typeof GalleryFlowState>

export const GalleryScriptUpdate = z
  .strictObject({
    is_featured: z
      .boolean()
      .describe('Whether the gallery shows the script. Its body is never shown.')
      .meta({ example: true }),
    sort_order: z
      .int()
      .min(-1_000_000)
      .max(1_000_000)
      .describe('Position among featured entries; smaller first.')
      .meta({ example: 10 }),
  })
  .partial()
  .meta({ id: 'GalleryScriptUpdate' })
export type GalleryScriptUpdate = z.infer<typeof GalleryScriptUpdate>

export const GalleryScriptState = z
  .strictObject({
    template_id: Id.describe('The script template.'),
    account_id: Id.describe('The account that owns it.'),
    name: z.string().describe('The name of the script template.').meta({ example: 'Restart a service' }),
    slug: z.string().describe('Identifies the script in the gallery.'),
    is_featured: z.boolean().describe('Whether the gallery shows the script.'),
    sort_order: z.int().describe('Position among featured entries; smaller first.').meta({ example: 10 }),
  })
  .meta({ id: 'GalleryScriptState' })
export type GalleryScriptState = z.infer<typeof GalleryScriptState>
