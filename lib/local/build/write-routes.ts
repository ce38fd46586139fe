import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '#functions/operations.ts'
import {
  type AnyOperation,
  getMaxBody,
  getMaxSteps,
  listFailures,
  takesIdempotencyKey,
} from '#http/operation.ts'
import { toRoutes } from '#http/routes.ts'
import { root } from '#local/root.ts'
import { writeGenerated } from './write-generated.ts'

const functions = join(root, 'functions')
const head = `// Generated from the declarations of the operations by \`npm run routes\`. It is all that the service needs to know of them at its start.
import type { RouteGroup } from '#http/routes.ts'

/** The routes of every operation, in the order in which they are matched. */
export const routeGroups: readonly RouteGroup[] = [
`

/** A list of operations that a file exports. */
interface ExportedList {
  file: string
  name: string
  list: readonly AnyOperation[]
}

/** Find the lists that the files of the groups export, in the order of functions/operations.ts. */
async function findLists(): Promise<ExportedList[]> {
  const files = readdirSync(functions, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/operations\.ts$/.test(path),
  )
  const lists = files.map(async (file) => {
    const module: Record<string, readonly AnyOperation[]> = await import(join(functions, file))
    return Object.entries(module).map(([name, list]) => ({ file, name, list }))
  })
  const found = (await Promise.all(lists))
    .flat()
    .filter(({ list }) => list[0] && operations.includes(list[0]))
  return found.toSorted((a, b) => findPlace(a) - findPlace(b))
}

function findPlace({ list }: ExportedList): number {
  return operations.indexOf(list[0] as AnyOperation)
}

function writeGroup({ file, name, list }: ExportedList): string {
  const routes = Object.entries(toRoutes(list)).map(([id, route]) => `      '${id}': '${route}',\n`)
  return `  {\n    load: async () => (await import('./${file}')).${name},\n    routes: {\n${routes.join('')}    },\n  },\n`
}

/**
 * List what a declaration says although it is the default. The compiler refuses such a `success`, and streams
 * and redirects say themselves that they are not idempotent.
 */
function listRepeatedDefaults({ errors = [], maxBody, maxSteps, idempotent, ...op }: AnyOperation): string[] {
  const implied = listFailures(op)
  return [
    ...errors.filter((error) => implied.includes(error)).map((error) => `errors: ${error}`),
    ...(maxBody === getMaxBody(op) ? ['maxBody'] : []),
    ...(maxSteps === getMaxSteps(op) ? ['maxSteps'] : []),
    ...(idempotent === false && !op.produces && op.success !== 307 && !takesIdempotencyKey(op)
      ? ['idempotent']
      : []),
  ].map((option) => `${op.id} repeats a default: ${option}`)
}

const repeated = operations.flatMap(listRepeatedDefaults)
if (repeated.length > 0) {
  console.error(repeated.join('\n'))
  process.exit(1)
}

const text = `${head}${(await findLists()).map(writeGroup).join('')}]\n`
await writeGenerated('functions/routes.ts', text, { source: 'the declarations', command: 'npm run routes' })
