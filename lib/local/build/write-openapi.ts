import { operations } from '#functions/operations.ts'
import { tags } from '#functions/tags.ts'
import { buildOpenApi } from '#http/openapi/document.ts'
import { writeGenerated } from './write-generated.ts'

const text = `${JSON.stringify(buildOpenApi(operations, tags, '1'), null, 1)}\n`
await writeGenerated('functions/openapi.json', text, {
  source: 'the declarations',
  command: 'npm run openapi',
})
