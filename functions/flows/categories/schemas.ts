import * as z from 'zod'
import { exampleIds, Id, idParams, Name, Time } from '#http/fields.ts'

export const CategoryId = idParams('category_id', 'category')

export const Category = z
  .strictObject({
    id: Id,
    account_id: Id.describe(
      'The account it belongs to; the platform account for categories that ship with the service.',
    ),
    name: z.string().describe('Unique in its account, ignoring case.'),
    flow_count: z.int().describe('Number of flows in this category that I can see.'),
    created_by: Id.nullable().describe('The user who created it.'),
    created_at: Time,
  })
  .meta({
    id: 'CategoryResponse',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02',
        account_id: exampleIds.account,
        name: 'Printing',
        flow_count: 6,
        created_by: exampleIds.user,
        created_at: '2026-11-02T08:12:00.000Z',
      },
    ],
  })
export type Category = z.infer<typeof Category>

export const CategoryCreate = z
  .strictObject({ name: Name.describe('Unique in the account, ignoring case.') })
  .meta({ id: 'CategoryCreate', examples: [{ name: 'Printing' }] })

export const CategoryUpdate = z
  .strictObject({ name: Name.describe('Unique in the account, ignoring case.') })
  .partial()
  .meta({ id: 'CategoryUpdate', examples: [{ name: 'Printers and scanners' }] })

export const Tag = z
  .strictObject({
    tag: z.string().describe('The tag in its most frequent spelling.'),
    count: z.int().describe('Number of visible flows with this tag, ignoring case.'),
  })
  .meta({ id: 'TagResponse', examples: [{ tag: 'printer', count: 9 }] })
export type Tag = z.infer<typeof Tag>
