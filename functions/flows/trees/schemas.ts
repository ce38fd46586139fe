import * as z from 'zod'
import { AlsoHere } from '#functions/presence/schemas.ts'
import { ExpectedVersion, Id, idParams, Name, Time } from '#http/fields.ts'
import type { CopiedColumn } from '#rules/flows/rfflow.ts'
import {
  IntakeForm,
  matchesTreeType,
  NullableStructure,
  structureByType,
  TreeType,
} from '#rules/flows/structure.ts'
import { removeRepeats } from '#rules/text/duplicates.ts'

export const TreeId = idParams('tree_id', 'flow')

export const Visibility = z
  .enum(['private', 'team', 'account', 'public'])
  .meta({ id: 'FlowVisibility' })
  .describe(
    'Who can see the flow. `private`: its author. `team`: also its team and account admins. `account`: the account. `public`: everyone, through the gallery.',
  )
export const Status = z
  .enum(['draft', 'published'])
  .meta({ id: 'FlowStatus' })
  .describe('`draft`: not ready to be run. `published`: can be run.')
const Tags = z
  .array(z.string().trim().min(1).max(100))
  .max(30)
  .transform(removeRepeats)
  .describe('Search keywords. Duplicates are removed, ignoring case.')
const Category = Name.nullable().describe(
  'A category by its name; null for none. A category that the account does not have is created.',
)
const Text = z.string().max(20_000)

const Person = z
  .strictObject({
    id: Id,
    name: z.string().describe('Name of the user.').meta({ example: 'Dana Reyes' }),
  })
  .meta({ id: 'FlowReviewer' })
const Day = z.iso.date().meta({ example: '2027-05-21' })
export const ReviewMonths = z.int().min(1).max(60).nullable().meta({ example: 6 })
export const reviewFields = {
  owner: Person.nullable().describe('Who reviews it; null for the admins of its team and account.'),
  months: ReviewMonths.describe('How often, in months; null for `flow_review_months` of the account.'),
  is_evergreen: z.boolean().describe('Whether it needs no review.').meta({ example: false }),
  due_on: Day.nullable().describe(
    'From this day of the account on, its review is overdue. Null if it needs none: an evergreen, private or unpublished flow, or without an interval.',
  ),
  is_overdue: z.boolean().describe('Whether this day has come.').meta({ example: false }),
  reviewed_at: Time.nullable().describe('When somebody last confirmed that it is still right.'),
  reviewed_by: Person.nullable().describe('Who confirmed it.'),
}
const Review = z
  .strictObject(reviewFields)
  .meta({ id: 'FlowReviewState' })
  .nullable()
  .describe('Who reviews it, and when; null for flows that ship with the service.')

type Columns = Record<CopiedColumn, z.ZodType> & Record<string, z.ZodType>
const treeFields = {
  id: Id,
  account_id: Id.describe(
    'The account it belongs to; the platform account for flows that ship with the service.',
  ),
  team_id: Id.nullable().describe('The team it belongs to.'),
  author_id: Id.describe('The user who created it.'),
  author_name: z.string().nullable().describe('The name of the author.'),
  tree_type: TreeType,
  status: Status,
  visibility: Visibility,
  is_public: z.boolean().describe('Whether its visibility is `public`.'),
  name: z.string().describe('Name of the flow.'),
  description: z.string().describe('Purpose of the flow, in markdown.'),
  category_id: Id.nullable()
    .describe('Its category.')
    .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02' }),
  category: z.string().nullable().describe('The category’s name.'),
  tags: z.array(z.string()).describe('Search keywords.'),
  version: z.int().describe('Incremented by each save.'),
  usage_count: z.int().describe('Number of sessions started with it.'),
  parent_tree_id: Id.nullable().describe('The flow it was forked from.'),
  root_tree_id: Id.nullable().describe('The original flow, from which the chain of forks starts.'),
  fork_depth: z.int().describe('Number of forks from the original flow to this one; 0 unless it is a fork.'),
  fork_reason: z.string().nullable().describe('Why it was forked.'),
  import_metadata: z.record(z.string(), z.unknown()).nullable().describe('Origin of an imported flow.'),
  review: Review,
  is_pinned: z.boolean().describe('Whether I pinned it.'),
  created_at: Time,
  updated_at: Time.describe('When it was last saved.'),
  published_at: Time.nullable().describe('When it was first published.'),
} satisfies Columns

export const Tree = z
  .strictObject({
    ...treeFields,
    tree_structure: NullableStructure,
    intake_form: IntakeForm,
    also_here: AlsoHere.optional(),
  })
  .meta({ id: 'TreeResponse' })
export type Tree = z.infer<typeof Tree>

export const TreeListItem = z
  .strictObject({
    ...treeFields,
    fork_info: z
      .strictObject({
        parent_id: Id.describe('The flow it was forked from.'),
        parent_name: z.string().nullable().describe('Name of that flow; null if I cannot see the flow.'),
        root_id: Id.describe('The original flow, from which the chain of forks starts.'),
        depth: z.int().describe('Number of forks from the original flow to this one.'),
        reason: z.string().nullable().describe('Why it was forked.'),
      })
      .nullable()
      .describe('Null unless it is a fork.'),
  })
  .meta({ id: 'TreeListItem' })
export type TreeListItem = z.infer<typeof TreeListItem>

export const sorts = ['usage_count', 'updated_at', 'created_at', 'name', 'name_desc', 'version'] as const
export const TreeQuery = z.strictObject({
  sort_by: z
    .enum(sorts)
    .meta({ id: 'FlowSortBy' })
    .default('usage_count')
    .describe('`name` sorts in ascending order. Every other value sorts in descending order.'),
  tree_type: TreeType.optional().describe('Only flows of this type.'),
  status: Status.optional().describe('Only drafts, or only published flows.'),
  visibility: Visibility.optional().describe('Only flows with this visibility.'),
  author_id: Id.optional().describe('Only flows of this author.'),
  review: z
    .enum(['overdue'])
    .meta({ id: 'FlowReviewFilter' })
    .optional()
    .describe('Only flows whose review is overdue.'),
  category: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Only flows of the category with this name.'),
  tag: z.string().trim().min(1).max(100).optional().describe('Only flows with this tag.'),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Words that must all occur in the name, description or tags.'),
})
export type TreeQuery = z.infer<typeof TreeQuery>

const inputFields = {
  tree_type: TreeType,
  status: Status.meta({ example: 'draft' }),
  visibility: Visibility,
  is_public: z
    .boolean()
    .describe('`true` sets visibility `public`; `false` changes a public flow to visibility `team`.'),
  name: Name.describe('Name of the flow.').meta({ example: 'Printer offline or stuck' }),
  description: Text.describe('Purpose of the flow, in markdown.'),
  category: Category,
  category_id: Id.nullable().describe('A category by its id. Cannot be combined with `category`.'),
  tags: Tags,
  tree_structure: NullableStructure,
  intake_form: IntakeForm,
} satisfies Columns

const TreeInput = z.strictObject(inputFields).partial()
type TreeInput = z.infer<typeof TreeInput>
function checkConsistency(input: TreeInput, ctx: z.RefinementCtx): void {
  const addError = (path: string, message: string) => ctx.addIssue({ code: 'custom', path: [path], message })
  const { visibility, is_public, category, category_id, tree_type, tree_structure } = input
  if (visibility && is_public !== undefined && is_public !== (visibility === 'public'))
    addError('is_public', `must agree with visibility ${visibility}`)
  if (category !== undefined && category_id !== undefined)
    addError('category_id', 'must be absent when category is set')
  if (tree_type && tree_structure && !matchesTreeType(tree_type, tree_structure))
    addError('tree_structure', wrongStructureMessage(tree_type))
}

/** Return the field error for a structure that does not match the type of the flow. */
export function wrongStructureMessage(type: TreeType): string {
  return structureByType[type] === 'tree'
    ? 'must be a root node in a troubleshooting flow'
    : `must be a list of steps in a ${type} flow`
}

export const TreeCreate = TreeInput.required({ tree_type: true, name: true })
  .superRefine(checkConsistency)
  .meta({ id: 'TreeCreate' })
export type TreeCreate = z.infer<typeof TreeCreate>

export const TreeUpdate = z
  .strictObject({
    ...inputFields,
    expected_version: ExpectedVersion,
    replay: z
      .boolean()
      .describe(
        'Whether to replay the newest completed runs of the published version, and to store the counts with the new one. Only with a change of a flow that is published.',
      ),
  })
  .partial()
  .superRefine(checkConsistency)
  .meta({ id: 'TreeUpdate' })
export type TreeUpdate = z.infer<typeof TreeUpdate>

export const FlowProblem = z
  .strictObject({
    node_id: z.string().nullable().describe('The node or step concerned; null when the whole flow is.'),
    path: z
      .string()
      .describe('Path of the value, such as `tree_structure.children[0].title`.')
      .meta({ example: 'tree_structure.children[1].title' }),
    message: z.string().describe('What is wrong.').meta({ example: 'This solution has no title' }),
  })
  .meta({ id: 'FlowProblem' })

export const PublishCheck = z
  .strictObject({
    can_publish: z.boolean().describe('Whether there are no errors.').meta({ example: false }),
    errors: z.array(FlowProblem).describe('Every problem that prevents publishing.'),
    warnings: z.array(FlowProblem).describe('Problems that do not prevent publishing.'),
  })
  .meta({ id: 'CanPublishResponse' })
