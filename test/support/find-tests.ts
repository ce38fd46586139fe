import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'

// Finds every test that a change can break. Imports are followed as far as they go, but for one: the table of
// operations imports all of them, and a test only depends on those that it calls, which its text names.

/**
 * Changed files that can break any test: what is installed, how tests run, and the database that all of them
 * share.
 */
const affectsAll =
  /^(package(-lock)?\.json|tsconfig\.json|wrangler\.toml|migrations\/.+|test\/vitest\.config\.ts|test\/support\/(setup|sequencer)\.ts)$/
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
}

/** Read the imports of the checkout in `root`. */
export function readTestIndex(root: string): TestIndex {
  const graph = readGraph(root)
  const groups = listGroups(graph.texts.get(operationTable) ?? '')
  const tests = [...graph.texts.keys()].filter((file) => file.endsWith('.test.ts')).sort()
  return { graph, reachedBy: new Map(tests.map((test) => [test, findReached(graph, groups, test)])) }
}

function findReached(graph: Graph, groups: readonly Group[], test: string): Set<string> {
  const reached = follow(graph, [test])
  if (!reached.has(operationTable)) return reached
  const texts = [...reached]
    .filter((file) => file.startsWith('test/'))
    .map((file) => graph.texts.get(file) ?? '')
  const called = groups.filter(({ names }) => texts.some((text) => names.test(text)))
  return follow(
    graph,
    called.map(({ file }) => file),
    reached,
  )
}

/**
 * Find the test files that changes of these files can break. Paths are relative to the root. Deleted files
 * count too.
 */
export function findTests({ graph, reachedBy }: TestIndex, changed: readonly string[]): string[] {
  const tests = [...reachedBy.keys()].filter((test) => !timingTests.test(test))
  if (changed.some((file) => affectsAll.test(file))) return tests
  // Code is imported, but some tests read all of it.
  const canBreak = (test: string, reached: ReadonlySet<string>, file: string) =>
    reached.has(file) || readsFile(graph, file.endsWith('.ts') ? new Set([test]) : reached, file)
  return tests.filter((test) =>
    changed.some((file) => canBreak(test, reachedBy.get(test) ?? new Set(), file)),
  )
}

/** Add to `reached` the files that can be reached from others. */
function follow({ imports }: Graph, from: readonly string[], reached = new Set<string>()): Set<string> {
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

function listImports(root: string, file: string, text: string): string[] {
  const specifiers = [...text.matchAll(/(?:\bfrom|\bimport\(?)\s*'([.#][^']+)'/g)].map(([, specifier = '']) =>
    resolve(file, specifier),
  )
  // Processes and bundles are started from a path.
  const paths = [...text.matchAll(/'((?:functions|lib|test)\/[\w./-]+\.ts)'/g)].map(([, path = '']) => path)
  const siblings = [...text.matchAll(/'([\w-]+\.ts)'/g)].map(([, name = '']) =>
    posix.join(dirname(file), name),
  )
  return [...specifiers, ...[...paths, ...siblings].filter((path) => existsSync(join(root, path)))]
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
