import * as z from 'zod'
import { Id, idParams, Name, Time } from '#http/fields.ts'

export const CategoryId = idParams('category_id', 'category')

export const Category = z
  .strictObject({
    id: Id,
    account_id: Id.describe(
      'The account it belongs to; the platform account for categories that ship with the service.',
    ),
    name: z.string().describe('Unique in its account, ignoring case.').meta({ example: 'Printing' }),
    flow_count: z.int().describe('Number of flows in this category that I can see.').meta({ example: 6 }),
    created_by: Id.nullable().describe('The user who created it.'),
    created_at: Time,
  })
  .meta({ id: 'CategoryResponse' })
export type Category = z.infer<typeof Category>

export const CategoryCreate = z
  .strictObject({
    name: Name.describe('Unique in the account, ignoring case.').meta({ example: 'Printing' }),
  })
  .meta({ id: 'CategoryCreate' })

export const CategoryUpdate = z
  .strictObject({
    name: Name.describe('Unique in the account, ignoring case.').meta({ example: 'Printers and scanners' }),
  })
  .partial()
  .meta({ id: 'CategoryUpdate' })

export const Tag = z
  .strictObject({
    tag: z.string().describe('The tag in its most frequent spelling.').meta({ example: 'printer' }),
    count: z.int().describe('Number of visible flows with this tag, ignoring case.').meta({ example: 9 }),
  })
  .meta({ id: 'TagResponse' })
export type Tag = z.infer<typeof Tag>
