import * as z from 'zod'
import { schemaByKey } from '#rules/flows/markdown/front-matter.ts'
import { contentFields, FlowEnvelope } from '#rules/flows/rfflow.ts'
import { writeGenerated } from './write-generated.ts'

const FrontMatter = z.strictObject({
  id: z.guid().optional().describe('The id of a flow that the service ships. Imports leave it out.'),
  ...schemaByKey,
  tags: z
    .union([contentFields.tags, z.string()])
    .describe('Free tags, as a list or as one text with commas.'),
})

// JSON Schemas with which editors check and complete files of flows. Editors know draft 7 best:
// https://code.visualstudio.com/docs/languages/json#_json-schemas-and-settings
const schemas: Record<string, [title: string, schema: z.ZodType]> = {
  'lib/rules/flows/rfflow.schema.json': ['A flow as a file (.rfflow)', FlowEnvelope],
  'lib/rules/flows/markdown/front-matter.schema.json': [
    'The front matter of a flow in markdown',
    FrontMatter,
  ],
}

for (const [file, [title, schema]] of Object.entries(schemas)) {
  const json = z.toJSONSchema(schema, { io: 'input', target: 'draft-7', unrepresentable: 'any' })
  const { id: _, examples: __, ...rest } = json as Record<string, unknown>
  await writeGenerated(file, `${JSON.stringify({ title, ...rest }, null, 1)}\n`, {
    source: 'the schemas of flows',
    command: 'npm run flow-schemas',
  })
}
