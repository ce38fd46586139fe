import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listSourceFiles, type Mutation } from './candidates.ts'
import { includesSome } from './number-set.ts'
import type { Reach, RecordedTest } from './reach.ts'
import { type Node, parseSource } from './syntax.ts'

export interface SelectedTest extends RecordedTest {
  /** The names of the tests that reach the mutation, if they are few of the file. */
  names?: string[]
}

/** Return the test files that reach a mutation, those first that reach the fewest other functions. */
export type SelectTests = (mutation: Mutation) => SelectedTest[]

export function createTestSelector(root: string, { functions, tests }: Reach): SelectTests {
  const importers = listImporters(root)
  const numbersOf = new Map<string, number[]>()
  for (const [number, { file }] of functions.entries()) numbersOf.set(file, [...(numbersOf.get(file) ?? []), number])
  const sets = tests.map((test) => [test, new Set(test.reached)] as const)
  return (mutation) => {
    const numbers = findFunctions(mutation, functions, numbersOf, importers)
    const reaching = sets.filter(([, reached]) => numbers.some((number) => reached.has(number))).map(([test]) => test)
    return reaching.sort((a, b) => a.reached.length - b.reached.length).map((test) => ({ ...test, ...selectNames(test, numbers) }))
  }
}

function selectNames({ tests }: RecordedTest, numbers: readonly number[]): { names?: string[] } {
  const names = tests.filter(({ reached }) => includesSome(reached, numbers)).map(({ name }) => name)
  // Without any, the file calls the function outside of its tests.
  return names.length === 0 || names.length > tests.length / 2 ? {} : { names }
}

/**
 * Return the innermost function around a mutation. Code outside of functions runs once per process, so it is attributed to the functions of its
 * file and of the files that import it.
 */
function findFunctions(
  { file, start, end }: Mutation,
  functions: Reach['functions'],
  numbersOf: ReadonlyMap<string, number[]>,
  importers: ReadonlyMap<string, string[]>,
): number[] {
  const own = numbersOf.get(file) ?? []
  const size = (number: number) => (functions[number]?.end ?? 0) - (functions[number]?.start ?? 0)
  const around = own.filter((number) => {
    const range = functions[number]
    return range && range.start <= start && end <= range.end
  })
  const [innermost] = around.sort((a, b) => size(a) - size(b))
  if (innermost !== undefined) return [innermost]
  return [...own, ...(importers.get(file) ?? []).flatMap((importer) => numbersOf.get(importer) ?? [])]
}

/** List the files that import each file. */
function listImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const file of listSourceFiles(root))
    for (const { type, source } of parseSource(readFileSync(join(root, file), 'utf8')).body as Node[]) {
      const path = type === 'ImportDeclaration' ? String((source as Node).value) : ''
      const imported = join(file, '..', path)
      if (path.startsWith('.')) importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  return importers
}
