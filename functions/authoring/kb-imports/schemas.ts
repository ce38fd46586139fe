import * as z from 'zod'
import { Id, idParams, Name, Time } from '#http/fields.ts'
import { TreeType } from '#rules/flows/structure.ts'
import { articleFormats } from '#rules/knowledge/formats.ts'
import { nodeKinds } from '#rules/knowledge/nodes.ts'

export const ImportId = idParams('import_id', 'knowledge import')
export const NodeId = ImportId.extend(idParams('node_id', 'node').shape)

const Format = z.enum(articleFormats).meta({ id: 'ArticleFormat' }).describe('Format of the article.')
const Status = z
  .enum(['uploaded', 'converted', 'committed', 'failed'])
  .meta({ id: 'KbImportStatus' })
  .describe(
    '`uploaded`: not converted yet. `converted`: has nodes. `committed`: published as a flow. `failed`: the first conversion failed and can be retried.',
  )

const nodeFields = {
  title: z
    .string()
    .max(300)
    .describe('Title of the node. It is required for a commit.')
    .meta({ example: 'Open the services console' }),
  content: z
    .string()
    .max(20_000)
    .describe('The node’s part of the article, as markdown. Empty for a section whose heading is its title.')
    .meta({ example: '1. Open the services console.' }),
  kind: z
    .enum(nodeKinds)
    .meta({ id: 'KbNodeKind' })
    .describe(
      '`section`: a heading. `step`: an instruction. `note`: information. `decision`: a question whose children are its answers. `solution`: an end of the flow.',
    )
    .meta({ example: 'step' }),
  parent_id: Id.nullable()
    .describe('Id of the parent node in the same import; null at the top level.')
    .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e01' }),
  position: z
    .int()
    .min(0)
    .max(10_000)
    .describe('Position in reading order, from 0. A parent comes before its children.')
    .meta({ example: 2 }),
}
export const KbNode = z.strictObject({ id: Id, ...nodeFields }).meta({ id: 'KbImportNode' })
export type KbNode = z.infer<typeof KbNode>

const item = {
  id: Id,
  account_id: Id.describe('The account it belongs to.'),
  team_id: Id.nullable().describe('The team it belongs to.'),
  created_by: Id.describe('The user who imported it.'),
  title: z.string().describe('Title of the article.').meta({ example: 'Restart the print spooler' }),
  format: Format,
  status: Status,
  node_count: z.int().describe('Number of nodes.'),
  tree_id: Id.nullable().describe('Id of the flow that was created from the import; null before the commit.'),
  created_at: Time,
  updated_at: Time.describe('When it was last changed.'),
}
export const KbImportItem = z.strictObject(item).meta({ id: 'KbImportListItem' })
export type KbImportItem = z.infer<typeof KbImportItem>

export const KbImport = z
  .strictObject({
    ...item,
    nodes: z.array(KbNode).describe('The nodes of the article in reading order, at most 100.'),
    warnings: z
      .array(z.string())
      .describe(
        'What was not imported, such as pictures; parts that the conversion merged, because an article has at most 100 nodes; and conditions that only a decision tree can follow.',
      ),
  })
  .meta({ id: 'KbImportResponse' })
export type KbImport = z.infer<typeof KbImport>

export const KbImportCreate = z
  .strictObject({
    title: z
      .string()
      .trim()
      .min(1)
      .max(300)
      .describe('Title of the article.')
      .meta({ example: 'Restart the print spooler' }),
    content: z
      .string()
      .min(1)
      .max(10 * 1024 * 1024)
      .describe(
        'The article, or the base64-encoded bytes of a docx or PDF. At most 5 MiB after decoding, and 900,000 characters of text.',
      )
      .meta({ example: '1. Open the services console.\n2. Restart *Print Spooler*.' }),
    format: Format,
  })
  .meta({ id: 'KbImportCreate' })
export type KbImportCreate = z.infer<typeof KbImportCreate>

export const KbImportQuery = z.strictObject({
  status: Status.optional().describe('Only imports in this state.'),
})
export type KbImportQuery = z.infer<typeof KbImportQuery>

export const KbNodeUpdate = z.strictObject(nodeFields).partial().meta({ id: 'KbImportNodeUpdate' })
export type KbNodeUpdate = z.infer<typeof KbNodeUpdate>

export const KbImportCommit = z
  .strictObject({
    name: Name.describe('Name of the flow.').meta({ example: 'Restart the print spooler' }),
    tree_type: TreeType,
    category: Name.optional().describe(
      'Name of a category. It is created when the account has none with this name.',
    ),
  })
  .meta({ id: 'KbImportCommit' })
export type KbImportCommit = z.infer<typeof KbImportCommit>

export const KbQuota = z
  .strictObject({
    used: z
      .int()
      .describe('Number of articles that this account has imported, including those deleted since.'),
    limit: z
      .int()
      .nullable()
      .describe('Maximum number of imports in the plan; null without a limit.')
      .meta({ example: 3 }),
    remaining: z
      .int()
      .nullable()
      .describe('Number of imports that are left; null without a limit.')
      .meta({ example: 2 }),
  })
  .meta({ id: 'KbImportQuota' })
export type KbQuota = z.infer<typeof KbQuota>
