import { operations } from '#functions/operations.ts'
import { tags } from '#functions/tags.ts'
import { buildOpenApi } from '#http/openapi/document.ts'
import { writeGenerated } from './write-generated.ts'

/** Write an object with one entry per line, so that a review shows a line for each that changed. */
function writeEntries(entries: object, write: (entry: object, name: string) => string): string {
  const lines = Object.entries(entries).map(
    ([name, entry]) => `${JSON.stringify(name)}: ${write(entry, name)}`,
  )
  return `{\n${lines.join(',\n')}\n}`
}

// The levels of the document whose entries have a line of their own: operations and components.
const levels: Record<string, number> = { paths: 2, components: 2 }

function writeLevels(value: object, level: number): string {
  return level === 0 ? JSON.stringify(value) : writeEntries(value, (entry) => writeLevels(entry, level - 1))
}

const document = buildOpenApi(operations, tags, '1')
const text = writeEntries(document, (section, name) => writeLevels(section, levels[name] ?? 0))
await writeGenerated('functions/openapi.json', `${text}\n`, {
  source: 'the declarations',
  command: 'npm run openapi',
})
