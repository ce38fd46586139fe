import * as z from 'zod'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { IntakeForm, NullableStructure, TreeType } from './structure.ts'

// The file format for exported flows: `<slug>.rfflow`, a JSON envelope with one flow.

export const rfflowVersion = '1.0'
export const generatorName = 'support-flow-service'

const Name = z.string().overwrite(removeInvisible).trim().min(1).max(200)

/**
 * What every copy of a flow has beside its steps and form: a fork, a file, an archive and a flow that ships
 * with the service. Each field but the category is a column of `trees`. A column without a field here needs a
 * reason in `uncopiedColumns`, lib/db/rows/trees.ts.
 */
export const contentFields = {
  name: Name.describe('The name of the flow.'),
  tree_type: TreeType,
  category: Name.nullish().describe('The name of its category.'),
  tags: z.array(z.string().trim().min(1).max(100)).max(30).nullish().describe('Free tags.'),
  description: z.string().max(20_000).nullish().describe('What the flow is for.'),
}
type ContentFields = z.output<z.ZodObject<typeof contentFields>>
export type CopiedColumn = Exclude<keyof ContentFields, 'category'>
export type CopiedColumns = { [C in CopiedColumn]: NonNullable<ContentFields[C]> }
type OptionalColumn = { [C in CopiedColumn]: null extends ContentFields[C] ? C : never }[CopiedColumn]
export const copiedColumns = Object.keys(contentFields).filter(
  (field) => field !== 'category',
) as CopiedColumn[]

/** The values of the columns that a file may leave out. */
export const columnDefaults: Pick<CopiedColumns, OptionalColumn> = { tags: [], description: '' }

type GivenColumns = { [C in CopiedColumn]?: CopiedColumns[C] | null | undefined }

/** Return the columns of a flow that a copy has, with the defaults of those that it leaves out. */
export function copyColumns(flow: GivenColumns & Omit<CopiedColumns, OptionalColumn>): CopiedColumns {
  const { name, tree_type } = flow
  return mergeColumns({ ...columnDefaults, name, tree_type }, flow)
}

/** Return the columns of a flow after some were changed. */
export function mergeColumns(current: CopiedColumns, changes: GivenColumns): CopiedColumns {
  return Object.fromEntries(
    copiedColumns.map((column) => [column, changes[column] ?? current[column]]),
  ) as never
}

export const FlowEnvelope = z
  .strictObject({
    rfflow_version: z.string().max(20).describe('Version of this format. Only `1.0` is supported.'),
    exported_at: z.iso.datetime({ offset: true }).nullish().describe('When the flow was exported.'),
    generator: z.string().max(200).nullish().describe('The program that exported the flow.'),
    flow: z
      .strictObject({
        ...contentFields,
        tree_structure: NullableStructure,
        intake_form: IntakeForm.nullish().describe('The questions asked before a session starts.'),
        version: z.int().min(1).nullish().describe('Its version in the service that exported it.'),
      })
      .describe('The flow itself.'),
  })
  .meta({
    id: 'FlowEnvelope',
    examples: [
      {
        rfflow_version: rfflowVersion,
        exported_at: '2026-11-21T09:30:00.000Z',
        generator: generatorName,
        flow: {
          tree_type: 'troubleshooting',
          name: 'Printer offline',
          description: '',
          category: 'Printing',
          tags: ['printer'],
          tree_structure: {
            id: 'cable',
            type: 'solution',
            title: 'Reseat the network cable',
            description: '',
          },
          intake_form: [],
          version: 3,
        },
      },
    ],
  })
export type FlowEnvelope = z.infer<typeof FlowEnvelope>
/** The content of a flow in every export format: JSON and markdown. */
export type FlowContent = Omit<FlowEnvelope['flow'], 'version'>
