import { z } from 'zod'
import { IntakeForm, NullableStructure, TreeType } from './structure.ts'

// The file a flow travels in: `<slug>.rfflow`, JSON.

export const envelopeVersion = '1.0'
export const generator = 'support-flow-service'

const Name = z.string().trim().min(1).max(200)

export const Envelope = z
  .strictObject({
    rfflow_version: z.string().max(20).describe('Version of this format; `1.0` is understood.'),
    exported_at: z.iso.datetime({ offset: true }).nullish().describe('When it was exported.'),
    generator: z.string().max(200).nullish().describe('What exported it.'),
    flow: z
      .strictObject({
        tree_type: TreeType,
        name: Name.describe('What it is called.'),
        description: z.string().max(20_000).nullish().describe('What it is for.'),
        category: Name.nullish().describe('Its category’s name.'),
        tags: z.array(z.string().trim().min(1).max(100)).max(30).nullish().describe('Free words to find it by.'),
        tree_structure: NullableStructure,
        intake_form: IntakeForm.nullish().describe('What is asked before a session begins.'),
        version: z.int().min(1).nullish().describe('Its version where it was exported.'),
      })
      .describe('The flow itself.'),
  })
  .meta({
    id: 'FlowEnvelope',
    examples: [
      {
        rfflow_version: envelopeVersion,
        exported_at: '2026-11-21T09:30:00.000Z',
        generator,
        flow: {
          tree_type: 'troubleshooting',
          name: 'Printer offline',
          description: '',
          category: 'Printing',
          tags: ['printer'],
          tree_structure: { id: 'cable', type: 'solution', title: 'Reseat the network cable', description: '' },
          intake_form: [],
          version: 3,
        },
      },
    ],
  })
export type Envelope = z.infer<typeof Envelope>
/** What travels of a flow, whatever the form. */
export type FlowContent = Omit<Envelope['flow'], 'version'>
