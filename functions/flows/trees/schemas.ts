import { z } from 'zod'
import { fitsType, IntakeForm, NullableStructure, TreeType } from '../../../lib/flows/structure.ts'
import { exampleIds, Id, idParams, Name, Time } from '../../../lib/http/fields.ts'

export const TreeId = idParams('tree_id', 'flow')

export const Visibility = z
  .enum(['private', 'team', 'account', 'public'])
  .describe('Who sees it: its author, its team, the account, or also the world through the gallery.')
const Status = z.enum(['draft', 'published']).describe('A draft is being written, a published flow is run.')
const Tags = z
  .array(z.string().trim().min(1).max(100))
  .max(30)
  .transform(eachOnce)
  .describe('Free words to find it by; each once, whatever its case.')
export function eachOnce(tags: readonly string[]): string[] {
  return [...new Map(tags.map((tag) => [tag.toLowerCase(), tag])).values()]
}
const Category = Name.nullable().describe('A category by its name, made when the account has none of that name; null for none.')
const Text = z.string().max(20_000)

export const exampleTree = {
  id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e01',
  account_id: exampleIds.account,
  team_id: exampleIds.team,
  author_id: exampleIds.user,
  author_name: 'Dana Reyes',
  tree_type: 'troubleshooting' as const,
  status: 'published' as const,
  visibility: 'team' as const,
  is_public: false,
  name: 'Printer offline',
  description: 'A network printer shows as offline.',
  category_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02',
  category: 'Printing',
  tags: ['printer', 'windows'],
  version: 3,
  usage_count: 41,
  parent_tree_id: null,
  root_tree_id: null,
  fork_depth: 0,
  fork_reason: null,
  import_metadata: null,
  is_pinned: true,
  created_at: '2026-11-02T08:12:00.000Z',
  updated_at: '2026-11-20T16:40:00.000Z',
  published_at: '2026-11-02T09:00:00.000Z',
}
const exampleStructure = {
  id: 'ping',
  type: 'decision' as const,
  title: 'Does {{printer_ip}} answer a ping?',
  description: '',
  options: [
    { id: 'yes', label: 'Yes', next_node_id: 'queue' },
    { id: 'no', label: 'No', next_node_id: 'cable' },
  ],
  children: [
    { id: 'queue', type: 'solution' as const, title: 'Clear the print queue', description: '' },
    { id: 'cable', type: 'solution' as const, title: 'Reseat the network cable', description: '' },
  ],
}
const exampleForm = [{ key: 'printer_ip', label: 'Address of the printer', type: 'ip' as const, required: true }]

const tree = {
  id: Id,
  account_id: Id.describe('The account it belongs to; the platform account for flows that ship with the service.'),
  team_id: Id.nullable().describe('The team it belongs to.'),
  author_id: Id.describe('Who made it.'),
  author_name: z.string().nullable().describe('Their name.'),
  tree_type: TreeType,
  status: Status,
  visibility: Visibility,
  is_public: z.boolean().describe('Whether its visibility is `public`.'),
  name: z.string().describe('What it is called.'),
  description: z.string().describe('What it is for.'),
  category_id: Id.nullable().describe('Its category.'),
  category: z.string().nullable().describe('The category’s name.'),
  tags: z.array(z.string()).describe('Free words to find it by.'),
  version: z.int().describe('Grows by one with each save.'),
  usage_count: z.int().describe('How many sessions were started with it.'),
  parent_tree_id: Id.nullable().describe('The flow it was forked from.'),
  root_tree_id: Id.nullable().describe('The first flow of its line of forks.'),
  fork_depth: z.int().describe('How many forks lie between it and the first.'),
  fork_reason: z.string().nullable().describe('Why it was forked.'),
  import_metadata: z.record(z.string(), z.unknown()).nullable().describe('Where an imported flow came from.'),
  is_pinned: z.boolean().describe('Whether I pinned it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
  published_at: Time.nullable().describe('When it was first published.'),
}

export const Tree = z
  .strictObject({
    ...tree,
    tree_structure: NullableStructure,
    intake_form: IntakeForm,
  })
  .meta({ id: 'TreeResponse', examples: [{ ...exampleTree, tree_structure: exampleStructure, intake_form: exampleForm }] })
export type Tree = z.infer<typeof Tree>

export const TreeListItem = z
  .strictObject({
    ...tree,
    fork_info: z
      .strictObject({
        parent_id: Id.describe('The flow it was forked from.'),
        parent_name: z.string().nullable().describe('Its name; null when the caller does not see it.'),
        root_id: Id.describe('The first flow of the line.'),
        depth: z.int().describe('How many forks lie between.'),
        reason: z.string().nullable().describe('Why it was forked.'),
      })
      .nullable()
      .describe('Null when it is no fork.'),
  })
  .meta({ id: 'TreeListItem', examples: [{ ...exampleTree, fork_info: null }] })
export type TreeListItem = z.infer<typeof TreeListItem>

export const sorts = ['usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version'] as const
export const TreeQuery = z.strictObject({
  sort_by: z
    .enum(sorts)
    .default('usage_count')
    .describe('Counts, times and versions greatest first; names from A, or from Z with `name_desc`.'),
  tree_type: TreeType.optional().describe('Only flows of this type.'),
  status: Status.optional().describe('Only drafts, or only published flows.'),
  visibility: Visibility.optional().describe('Only flows shared this far.'),
  author_id: Id.optional().describe('Only flows of this author.'),
  category: z.string().trim().min(1).max(200).optional().describe('Only flows of the category of this name.'),
  tag: z.string().trim().min(1).max(100).optional().describe('Only flows with this tag.'),
  search: z.string().trim().min(1).max(200).optional().describe('Words that all appear in name, description or tags.'),
})
export type TreeQuery = z.infer<typeof TreeQuery>

const fields = {
  tree_type: TreeType,
  status: Status,
  visibility: Visibility,
  is_public: z.boolean().describe('True is visibility `public`; false takes a public flow back to its team.'),
  name: Name.describe('What it is called.'),
  description: Text.describe('What it is for; markdown.'),
  category: Category,
  category_id: Id.nullable().describe('A category by its id; not together with `category`.'),
  tags: Tags,
  tree_structure: NullableStructure,
  intake_form: IntakeForm,
}

const Given = z.strictObject(fields).partial()
type Given = z.infer<typeof Given>
function consistent(given: Given, ctx: z.RefinementCtx): void {
  const say = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
  const { visibility, is_public, category, category_id, tree_type, tree_structure } = given
  if (visibility && is_public !== undefined && is_public !== (visibility === 'public'))
    say('is_public', `Contradicts visibility ${visibility}`)
  if (category !== undefined && category_id !== undefined) say('category_id', 'Not together with category')
  if (tree_type && tree_structure && !fitsType(tree_type, tree_structure)) say('tree_structure', wrongKind(tree_type))
}

export function wrongKind(type: TreeType): string {
  return type === 'troubleshooting' ? 'A troubleshooting flow has a root node' : `A ${type} flow has a list of steps`
}

export const TreeCreate = Given.required({ tree_type: true, name: true })
  .superRefine(consistent)
  .meta({
    id: 'TreeCreate',
    examples: [
      {
        tree_type: 'troubleshooting',
        name: 'Printer offline',
        status: 'draft',
        tree_structure: exampleStructure,
        intake_form: exampleForm,
      },
    ],
  })
export type TreeCreate = z.infer<typeof TreeCreate>

export const TreeUpdate = z
  .strictObject({
    ...fields,
    expected_version: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .describe('Save only if this is still the version; 409 with the current one otherwise.'),
  })
  .partial()
  .superRefine(consistent)
  .meta({ id: 'TreeUpdate', examples: [{ name: 'Printer offline or stuck', expected_version: 3 }] })
export type TreeUpdate = z.infer<typeof TreeUpdate>

export const FlowProblem = z
  .strictObject({
    node_id: z.string().nullable().describe('The node or step it is about; null when it is about the whole flow.'),
    path: z.string().describe('Where, as `tree_structure.children[0].title`.'),
    message: z.string().describe('What is wrong, in plain words.'),
  })
  .meta({
    id: 'FlowProblem',
    examples: [{ node_id: 'cable', path: 'tree_structure.children[1].title', message: 'This solution has no title' }],
  })

export const PublishCheck = z
  .strictObject({
    can_publish: z.boolean().describe('Whether there are no errors.'),
    errors: z.array(FlowProblem).describe('What stops it from being published, all at once.'),
    warnings: z.array(FlowProblem).describe('What looks wrong but stops nothing.'),
  })
  .meta({ id: 'CanPublishResponse', examples: [{ can_publish: true, errors: [], warnings: [] }] })
