import * as z from 'zod'

// The shape of a comparison of two versions.

const TextPart = z
  .strictObject({
    op: z
      .enum(['equal', 'delete', 'insert'])
      .meta({ id: 'TextPartOp' })
      .describe('Whether the part is in both texts, only in the older or only in the newer one.'),
    text: z.string().describe('The part. All parts in their order contain both texts.'),
  })
  .meta({ id: 'TextPart', examples: [{ op: 'insert', text: 'Restart the spooler.\n' }] })
export type TextPart = z.infer<typeof TextPart>

const FieldChange = z
  .strictObject({
    field: z.string().describe('Name of the field.'),
    before: z
      .unknown()
      .describe('The value in the older version; null for a long text and for a field that is not set.'),
    after: z
      .unknown()
      .describe('The value in the newer version; null for a long text and for a field that is not set.'),
    parts: z.array(TextPart).nullable().describe('The parts of a long text; null for any other value.'),
  })
  .meta({
    id: 'FieldChange',
    examples: [{ field: 'name', before: 'Printer offline', after: 'Printer offline or stuck', parts: null }],
  })
export type FieldChange = z.infer<typeof FieldChange>

const Position = z
  .strictObject({
    parent_id: z.string().nullable().describe('The item above; null at the top.'),
    index: z.int().describe('Position among the items with this parent, starting at 0.'),
  })
  .meta({ id: 'ItemPosition', examples: [{ parent_id: 'ping', index: 1 }] })

const ItemChange = z
  .strictObject({
    list: z
      .string()
      .describe(
        'The kind of item: `steps` and `questions` of a flow, `nodes` and `edges` of a diagram, `parameters` of a script.',
      ),
    id: z.string().describe('Identifies the item in its list, in both versions.'),
    label: z.string().describe('The title or name of the item, in the newer version if it is there.'),
    change: z
      .enum(['added', 'removed', 'changed'])
      .meta({ id: 'ItemChangeKind' })
      .describe('Whether the item is only in the newer, only in the older or in both versions.'),
    moved: z
      .boolean()
      .describe('Whether it has another parent, or another place among the items that both versions have.'),
    position_before: Position.nullable().describe('Null for an added item.'),
    position_after: Position.nullable().describe('Null for a removed item.'),
    fields: z
      .array(FieldChange)
      .describe('The changed fields. Of an added or removed item, all fields that are set.'),
  })
  .meta({
    id: 'ItemChange',
    examples: [
      {
        list: 'steps',
        id: 'clear-queue',
        label: 'Clear the print queue',
        change: 'changed',
        moved: false,
        position_before: { parent_id: 'ping', index: 0 },
        position_after: { parent_id: 'ping', index: 0 },
        fields: [{ field: 'title', before: 'Clear the queue', after: 'Clear the print queue', parts: null }],
      },
    ],
  })
export type ItemChange = z.infer<typeof ItemChange>

export const Comparison = z
  .strictObject({
    base: z.int().describe('The older version; 0 for an empty one.'),
    version: z.int().describe('The newer version.'),
    fields: z.array(FieldChange).describe('The changed fields.'),
    items: z
      .array(ItemChange)
      .describe('Changed, moved and added items in the order of the newer version, then removed items.'),
  })
  .meta({
    id: 'VersionComparison',
    examples: [
      {
        base: 2,
        version: 3,
        fields: [
          { field: 'name', before: 'Printer offline', after: 'Printer offline or stuck', parts: null },
        ],
        items: [],
      },
    ],
  })
export type Comparison = z.infer<typeof Comparison>

export const ComparisonQuery = z.strictObject({
  base: z.coerce
    .number()
    .int()
    .min(0)
    .max(2_147_483_647)
    .optional()
    .describe(
      'The version to compare with; by default the version before. 0 compares with an empty version.',
    ),
  format: z
    .enum(['json', 'html'])
    .meta({ id: 'ComparisonFormat' })
    .default('json')
    .describe('`html`: a page to read. It is a file without scripts.'),
})
export type ComparisonQuery = z.infer<typeof ComparisonQuery>
