import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'

// Finds every test that a change can break. Imports are followed as far as they go, but for one: the table of
// operations imports all of them, and a test only depends on those that it calls, which its text names.

/** Changed files that can break any test: what is installed, and how tests run. */
const affectsAll =
  /^(package(-lock)?\.json|tsconfig\.json|wrangler\.toml|test\/vitest\.config\.ts|test\/support\/(night|setup|sequencer)\.ts)$/
/** Lists of what other files declare. A change of them that matters is a change of such a file too. */
const lists = [
  'functions/operations.ts',
  'functions/routes.ts',
  'functions/openapi.json',
  'lib/db/exported-columns.ts',
]
/** Only the files of the groups that a test calls are followed from here. */
const operationTable = 'functions/routes.ts'
/** Their limits are times, which a busy machine exceeds without a defect. `npm test` runs them. */
export const timingTests = /^test\/(lib\/(linear-work|db\/migrate-under-load)|local\/processes)\.test\.ts$/

interface Graph {
  texts: ReadonlyMap<string, string>
  /** The files that a file imports, or names as a path. */
  imports: ReadonlyMap<string, readonly string[]>
  names: ReadonlyMap<string, NamedPaths>
}

/** What each test file can reach. */
export interface TestIndex {
  graph: Graph
  reachedBy: ReadonlyMap<string, ReadonlySet<string>>
  /** Only what the operations reach that the test calls. */
  reachedByCalls: ReadonlyMap<string, ReadonlySet<string>>
}

/** Read the imports of the checkout in `root`. */
export function readTestIndex(root: string): TestIndex {
  const graph = readGraph(root)
  const groups = listGroups(graph.texts.get(operationTable) ?? '')
  const tests = [...graph.texts.keys()].filter((file) => file.endsWith('.test.ts')).sort()
  const reached = tests.map((test) => [test, findReached(graph, groups, test)] as const)
  return {
    graph,
    reachedBy: new Map(
      reached.map(([test, { byImports, byCalls }]) => [test, new Set([...byImports, ...byCalls])]),
    ),
    reachedByCalls: new Map(reached.map(([test, { byCalls }]) => [test, byCalls])),
  }
}

function findReached(graph: Graph, groups: readonly Group[], test: string) {
  const byImports = follow(graph, [test])
  const texts = [...byImports]
    .filter((file) => file.startsWith('test/'))
    .map((file) => graph.texts.get(file) ?? '')
  const called = byImports.has(operationTable)
    ? groups.filter(({ names }) => texts.some((text) => names.test(text)))
    : []
  const byCalls = follow(
    graph,
    called.map(({ file }) => file),
  )
  return { byImports, byCalls }
}

/**
 * Find the test files that changes of these files can break. Paths are relative to the root. Deleted files
 * count too. Of a migration, `readStatements` returns the statements that changed; by default all of its.
 */
export function findTests(
  { graph, reachedBy, reachedByCalls }: TestIndex,
  changed: readonly string[],
  readStatements: (file: string) => string = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
): string[] {
  const tests = [...reachedBy.keys()].filter((test) => !timingTests.test(test))
  if (changed.some((file) => affectsAll.test(file))) return tests
  const sql = changed.filter((file) => /^migrations\/\w+\.sql$/.test(file)).map(readStatements)
  const usesChangedTable = createTableMatcher(graph, sql.join('\n'))
  // Code is imported, but some tests read all of it.
  const canBreak = (test: string, reached: ReadonlySet<string>, file: string) =>
    reached.has(file) || readsFile(graph, file.endsWith('.ts') ? new Set([test]) : reached, file)
  return tests.filter((test) => {
    const reached = reachedBy.get(test) ?? new Set()
    if (sql.length > 0 && listOwnCode(test, reachedByCalls.get(test) ?? []).some(usesChangedTable))
      return true
    return changed.some((file) =>
      lists.includes(file) ? graph.imports.get(test)?.includes(file) : canBreak(test, reached, file),
    )
  })
}

/**
 * Return a test with the code that it is about: of its subject, or of all that it calls if it is about every
 * operation. Most tests create flows and people, which are in the tests of flows and people.
 */
function listOwnCode(test: string, called: Iterable<string>): string[] {
  const [, subject] = /^test\/functions\/(\w+)\//.exec(test) ?? []
  const isGeneral = /^test\/(contract|security)\//.test(test)
  const isOwn = (file: string) => (subject ? file.startsWith(`functions/${subject}/`) : isGeneral)
  return [test, ...[...called].filter(isOwn)]
}

/** Tests that look at every table and function do so by what PostgreSQL says of them. */
const readsCatalog =
  /\binformation_schema\.|\bpg_(class|constraint|index|policy|policies|attribute|proc|trigger)\b/

/** Return whether a file names, as SQL does, a table or a function of these statements, or reads the catalog. */
function createTableMatcher({ texts }: Graph, statements: string): (file: string) => boolean {
  const database = texts.get('lib/db/schema.ts') ?? ''
  const tables = [...database.slice(database.indexOf('interface DB {')).matchAll(/^ {2}(\w+): \w+Table$/gm)]
  const sql = statements.replace(/--.*/g, '')
  const names = tables.map(([, name = '']) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(sql))
  const functions = [...sql.matchAll(/create (?:or replace )?(?:function|procedure) (app\.\w+)/g)].map(
    ([, name = '']) => name,
  )
  const table = `(?:\\b(?:from|join|into|update|table) |['"])(?:${names.join('|')})\\b`
  const pattern = new RegExp([...(names.length > 0 ? [table] : []), ...functions].join('|') || '(?!)')
  const matches = new Map<string, boolean>()
  return (file) => {
    const known = matches.get(file)
    if (known !== undefined) return known
    const text = texts.get(file) ?? ''
    const isMatch = pattern.test(text) || (file.endsWith('.test.ts') && readsCatalog.test(text))
    matches.set(file, isMatch)
    return isMatch
  }
}

/** Return the files that can be reached from others. */
function follow({ imports }: Graph, from: readonly string[]): Set<string> {
  const reached = new Set<string>()
  const next = [...from]
  for (const file of next) {
    if (reached.has(file)) continue
    reached.add(file)
    if (file !== operationTable) next.push(...(imports.get(file) ?? []))
  }
  return reached
}

/**
 * Return whether one of the files reads another file that is no code: it names its path, or a folder above it
 * and its name or all names.
 */
function readsFile({ names }: Graph, files: ReadonlySet<string>, path: string): boolean {
  return [...files].some((file) => {
    const { paths, listsFolders } = names.get(file) ?? noPaths
    if (paths.has(path)) return true
    const isBelow = [...paths].some((folder) => path.startsWith(`${folder}/`))
    return isBelow && (listsFolders || paths.has(basename(path)))
  })
}

interface NamedPaths {
  /** The quoted texts that may be paths, as they are and from the folder of the file. */
  paths: ReadonlySet<string>
  /** Whether the file reads the names in a folder. */
  listsFolders: boolean
}

const noPaths: NamedPaths = { paths: new Set(), listsFolders: false }

function listNamedPaths(file: string, text: string): NamedPaths {
  const quoted = [...text.matchAll(/['"`]([\w@.-]+(?:\/[\w@.-]+)*)['"`]/g)]
    .map(([, path = '']) => path)
    .filter((path) => /[./]/.test(path))
  const listsFolders = /\breaddir|\bglob/.test(text)
  const tops = listsFolders ? [...text.matchAll(/['{,](functions|lib)[',}]/g)].map(([, top = '']) => top) : []
  const paths = quoted.flatMap((path) => [posix.normalize(path), posix.join(dirname(file), path)])
  return { paths: new Set([...tops, ...paths.filter((path) => !/^\.*$/.test(path))]), listsFolders }
}

function readGraph(root: string): Graph {
  const files = globSync('{functions,lib,test}/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    file.replaceAll('\\', '/'),
  )
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const mapFiles = <T>(read: (file: string, text: string) => T) =>
    new Map([...texts].map(([file, text]) => [file, read(file, text)]))
  return {
    texts,
    imports: mapFiles((file, text) => listImports(root, file, text)),
    names: mapFiles(listNamedPaths),
  }
}

function listImports(root: string, file: string, source: string): string[] {
  // Types are the compiler's: no test fails by them.
  const text = source.replace(/^(?:import|export) type [^;]*? from '[^']+'/gm, '')
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([.#][^']+)'/g)].map(([, specifier = '']) =>
    resolve(file, specifier),
  )
  // Processes and bundles are started from a path.
  const paths = [...text.matchAll(/'((?:functions|lib|test)\/[\w./-]+\.ts)'/g)].map(([, path = '']) => path)
  const siblings = [...text.matchAll(/'([\w-]+\.ts)'/g)].map(([, name = '']) =>
    posix.join(dirname(file), name),
  )
  // The Worker runs what was bundled from its entry.
  const entries = text.includes("'cloudflare'") && file.startsWith('test/') ? ['functions/cloudflare.ts'] : []
  return [
    ...specifiers,
    ...entries,
    ...[...paths, ...siblings].filter((path) => existsSync(join(root, path))),
  ]
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(file), specifier)
  return /^#(functions|test)\//.test(specifier) ? specifier.slice(1) : `lib/${specifier.slice(1)}`
}

interface Group {
  file: string
  /** Matches a text that calls one of the group's operations, by its id or by the beginning of its path. */
  names: RegExp
}

/** List the groups of operations from the text of their table. */
function listGroups(table: string): Group[] {
  return table
    .split('load:')
    .slice(1)
    .map((entry) => {
      const [, file = ''] = /import\('\.\/([^']+)'\)/.exec(entry) ?? []
      const routes = [...entry.matchAll(/'([\w.]+)': '\w+ ([^']+)'/g)]
      const ids = routes.map(([, id = '']) => id.replaceAll('.', '\\??\\.'))
      const paths = new Set(routes.map(([, , path = '']) => escapePattern(path.split('/{')[0] ?? '')))
      return {
        file: `functions/${file}`,
        names: new RegExp(`\\b(?:${ids.join('|')})\\b|(?:${[...paths].join('|')})(?![\\w-])`),
      }
    })
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
