import * as z from 'zod'
import type { ReadColumn, RestoredKindName } from '#db/restored-columns.ts'
import { AccountUpdate } from '#functions/accounts/accounts/schemas.ts'
import { Colour } from '#functions/accounts/teams/schemas.ts'
import { DeviceTypeCreate } from '#functions/diagrams/device-types/schemas.ts'
import { DiagramCreate } from '#functions/diagrams/diagrams/schemas.ts'
import { LibraryStepCreate } from '#functions/flows/step-library/schemas.ts'
import {
  ReviewMonths,
  TreeCreate,
  Visibility,
  wrongStructureMessage,
} from '#functions/flows/trees/schemas.ts'
import { TargetListCreate } from '#functions/maintenance/target-lists/schemas.ts'
import { ScriptCreate } from '#functions/scripts/scripts/schemas.ts'
import { Name, Timezone } from '#http/fields.ts'
import { validateDiagram } from '#rules/diagrams/schema.ts'
import { contentFields } from '#rules/flows/rfflow.ts'
import { IntakeForm, matchesTreeType, NullableStructure, TreeType } from '#rules/flows/structure.ts'
import { validateFlow } from '#rules/flows/validate.ts'
import { JsonValue } from '#rules/json-value.ts'
import { validateTemplate } from '#rules/scripts/render.ts'
import { Uuid } from '#rules/uuid.ts'

// The records that an import reads, with a schema for each restored column. Their values meet the rules of
// the operations that create them. Unknown fields are ignored. Ids are only compared with one another; the
// import writes new ones, and never an account from the archive.

type Shape<K extends RestoredKindName> = Record<ReadColumn<K>, z.ZodType>

/** An id of this account. Those of an archive are plain texts. */
export type OwnId = string & z.$brand<'OwnId'>
const OldId = Uuid
const Reference = OldId.nullish().default(null)
const ShortText = z.string().max(200)

const { settings, brand_colour, flow_review_months } = AccountUpdate.shape
const retention = AccountUpdate.shape.retention.unwrap().shape
const accountShape = {
  timezone: Timezone,
  settings,
  brand_colour,
  flow_review_months,
  preferences: z.record(z.string(), JsonValue),
  ...retention,
}
const Account = z.object(accountShape satisfies Shape<'account'>).required()

const Team = z.object({
  id: OldId,
  name: Name,
  timezone: Timezone.nullish().default(null),
  branding_company_name: ShortText.nullish().default(null),
  branding_primary_colour: Colour.nullish().default(null),
  branding_footer_text: z.string().max(500).nullish().default(null),
} satisfies Shape<'teams'>)
const Category = z.object({ id: OldId, name: Name } satisfies Shape<'categories'> &
  Shape<'script_categories'>)

const { description: scriptDescription, parameters_schema, requires_elevation, risk } = ScriptCreate.shape
const Script = z.object({
  ...ScriptCreate.shape,
  id: OldId,
  team_id: Reference,
  category_id: Reference,
  description: scriptDescription.unwrap().default(''),
  parameters_schema: parameters_schema.unwrap().default([]),
  requires_elevation: requires_elevation.unwrap().default(false),
  risk: risk.unwrap().default('low'),
  is_shared: z.boolean().default(false),
} satisfies Shape<'scripts'>)

/** Return the problem of a script, as a schema would name it. It takes long, so an import asks once. */
export function findScriptProblem(script: z.output<typeof Script>): string | null {
  const [problem] = validateTemplate(script)
  return problem ? `script_body: line ${problem.line}: ${problem.message}` : null
}

const DeviceType = z.object({
  ...DeviceTypeCreate.shape,
  id: OldId,
  team_id: Reference,
} satisfies Shape<'device_types'>)

const { description: diagramDescription, client_name, asset_name } = DiagramCreate.shape
const Diagram = z
  .object({
    ...DiagramCreate.shape,
    id: OldId,
    team_id: Reference,
    description: diagramDescription.unwrap().default(''),
    client_name: client_name.default(null),
    asset_name: asset_name.default(null),
    is_archived: z.boolean().default(false),
  } satisfies Shape<'diagrams'>)
  .superRefine((diagram, ctx) => {
    const [problem] = validateDiagram(diagram)
    if (problem) ctx.addIssue({ code: 'custom', path: [...problem.path], message: problem.message })
  })

const TargetList = z.object({
  ...TargetListCreate.shape,
  id: OldId,
  team_id: Reference,
} satisfies Shape<'target_lists'>)

const { description, tags } = TreeCreate.shape
const { category: _, ...copiedFields } = contentFields
const Status = z.enum(['draft', 'published'])
const VersionNumber = z.int().min(1).max(1_000_000)
const flowShape = {
  ...copiedFields,
  id: OldId,
  team_id: Reference,
  status: Status,
  visibility: Visibility,
  name: Name,
  description: description.unwrap().default(''),
  category_id: Reference,
  tags: tags.unwrap().default([]),
  version: VersionNumber,
  parent_tree_id: Reference,
  review_months: ReviewMonths.nullish().default(null),
  is_evergreen: z.boolean().default(false),
  fork_reason: z.string().max(2000).nullish().default(null),
} satisfies Shape<'flows'>
export const FlowRecord = z.object({ ...flowShape, deleted_at: z.string().nullish() })
export type FlowRecord = z.output<typeof FlowRecord>

export const FlowVersionRecord = z.object({
  tree_id: OldId,
  version: VersionNumber,
  status: Status,
  name: Name,
  description: description.unwrap().default(''),
  category: Name.nullish().default(null),
  tree_type: TreeType,
  tree_structure: NullableStructure,
  intake_form: IntakeForm.default([]),
  restored_from: VersionNumber.nullish().default(null),
} satisfies Shape<'flow_versions'>)
export type FlowVersionRecord = z.output<typeof FlowVersionRecord>

/** Return the problem of a version, as a schema would name it, or null. */
export function findVersionProblem(flow: FlowVersionRecord): string | null {
  const { tree_type, tree_structure, status } = flow
  const isWrong = tree_structure && !matchesTreeType(tree_type, tree_structure)
  const message = isWrong ? wrongStructureMessage(tree_type) : validateFlow(flow, status).errors[0]?.message
  return message ? `tree_structure: ${message}` : null
}

const LibraryStep = z
  .object({
    ...LibraryStepCreate.shape,
    id: OldId,
    team_id: Reference,
    visibility: z.enum(['private', 'team', 'account']),
    is_active: z.boolean().default(true),
    source_tree_id: Reference,
    source_node_id: z.string().max(100).nullish().default(null),
    source_tree_name: ShortText.nullish().default(null),
  } satisfies Shape<'library_steps'>)
  .refine(
    ({ source_tree_id: tree, source_node_id: node, source_tree_name: name }) =>
      Boolean(tree) === Boolean(node && name),
    {
      message: 'must name its flow and node, or neither',
    },
  )

/** The schema of each kind that an import restores record by record. */
export const recordSchemas = {
  account: Account,
  teams: Team,
  categories: Category,
  script_categories: Category,
  scripts: Script,
  device_types: DeviceType,
  diagrams: Diagram,
  target_lists: TargetList,
  library_steps: LibraryStep,
} as const
export type RecordKind = keyof typeof recordSchemas
export type RecordOf<K extends RecordKind> = z.output<(typeof recordSchemas)[K]>

export const Manifest = z.object({
  format: z.string().max(100),
  version: z.int(),
  counts: z.record(z.string().max(100), z.int().min(0)),
})
export type Manifest = z.output<typeof Manifest>

/** A record that is not restored. */
export interface SkippedRecord {
  kind: string
  name: string | null
  reason: string
}

/** The records that are not restored: the first of them, and their number. */
export interface SkipList {
  records: SkippedRecord[]
  count: number
}

/** Where the next slice reads. Flows are last, because each needs its current version. */
export interface CheckPosition {
  kind: RestoredKindName
  /** The number of the file among those of the kind. */
  file: number
  /** Characters of the file that were read. */
  offset: number
  /** Records of the kind that were read. */
  count: number
}

/** A record that was checked. */
export interface CheckedRecord {
  kind: RestoredKindName
  place: number
  key: string
  name: string | null
  /** False for an invalid version: its flow is not restored. */
  is_valid: boolean
  parent: string | null
  record: object | null
  length: number
}
