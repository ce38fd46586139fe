import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import * as z from 'zod'
import '#functions/operations.ts'
import { root } from '#local/root.ts'

// The lists of values of the API against those of the check constraints, which `npm run db:types` writes as unions.

/** Return the values of each column that has a list, by `Table.column`. */
async function readColumns(): Promise<Map<string, string[]>> {
  const columns = new Map<string, string[]>()
  for (const table of (await readFile(`${root}/lib/db/schema.ts`, 'utf8')).split(/^export interface /m)) {
    const [, name] = /^(\w+)Table \{/.exec(table) ?? []
    for (const [, column, union = ''] of table.matchAll(/^ {2}(\w+): [^'\n]*('[^'\n]+'(?: \| '[^'\n]+')+)/gm))
      if (name)
        columns.set(
          `${name}.${column}`,
          [...union.matchAll(/'([^']+)'/g)].map(([, value]) => value as string),
        )
  }
  return columns
}

/** Return the values of each enum of the API, by the name of its schema. */
function listEnums(): [name: string, values: string[]][] {
  const { _idmap: schemas } = z.globalRegistry as unknown as { _idmap: Map<string, z.ZodType> }
  return [...schemas].flatMap(([name, schema]) =>
    schema instanceof z.ZodEnum && schema.options.length > 1 ? [[name, schema.options as string[]]] : [],
  )
}

const merged = 'the API shows `retrying` as another state'
const subset = 'only some of the values occur here'
const other = 'a list of its own that happens to share words'
/** The enums that share at least half of their values with a column and differ from it, with the reason. */
const differences: Record<string, string> = {
  AccountExportStatus: merged,
  AccountImportStatus: merged,
  AiOutputPushState: merged,
  AlertVerdict: 'what waits or has failed has no verdict yet',
  ApprovalEventState: other,
  AssessmentResult: subset,
  CitationKind: other,
  CompletedRunStatus: subset,
  CompletedSessionOutcome: 'the outcomes of sessions and of AI sessions',
  DocumentationPushState: merged,
  EvidenceSource: 'who adds facts, and alerts',
  EvidenceType: 'a note is stored with the decision',
  ExportFormat: other,
  FixOutcomeValue: subset,
  FlowNodeType: other,
  HandoverScope: other,
  GalleryItemType: 'the types of flows, and scripts',
  InviteStatus: other,
  KbBatchResult: subset,
  KbBatchStatus: merged,
  LibraryStepVisibility: subset,
  LibraryVisibility: 'none takes a step out of the library',
  OnCallSubstituteOutcome: 'nobody has accepted an open one yet',
  OpenAiSessionStatus: subset,
  ProposedFixOutcome: subset,
  PublishedFlowVisibility: subset,
  ReminderState: merged,
  RunnerRunState: merged,
  PersonalChannel: 'those of a person; an account has others',
  ScriptBuilderOriginFilter: 'a filter, which has `all` too',
  SsoLookupMode: 'a domain without a connection has none',
}

it('every list of values is that of its column, or has a reason to differ', async () => {
  const columns = [...(await readColumns()).values()].map((values) => new Set(values))
  expect(columns.length).toBeGreaterThan(80)
  const different = listEnums().flatMap(([name, values]) => {
    const likenesses = columns.map((column) => {
      const shared = values.filter((value) => column.has(value)).length
      return shared / (column.size + values.length - shared)
    })
    const likeness = Math.max(...likenesses)
    return likeness >= 0.5 && likeness < 1 ? [name] : []
  })
  expect(different.toSorted()).toEqual(Object.keys(differences).toSorted())
})
