import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { operations } from '../../functions/operations.ts'
import { tags } from '../../functions/tags.ts'
import { buildOpenApi } from '../http/openapi/document.ts'

const target = join(import.meta.dirname, '../../functions/openapi.json')
const text = `${JSON.stringify(buildOpenApi(operations, tags, '1'), null, 1)}\n`
if (!process.argv.includes('--check')) await writeFile(target, text)
else if ((await readFile(target, 'utf8')) !== text) {
  console.error('functions/openapi.json differs from the declarations. Run npm run openapi.')
  process.exit(1)
}
