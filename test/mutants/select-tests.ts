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
  for (const [number, { file }] of functions.entries())
    numbersOf.set(file, [...(numbersOf.get(file) ?? []), number])
  const sets = tests.map((test) => ({
    test,
    reached: new Set(test.reached),
    imports: listImports(root, test.file),
  }))
  return (mutation) => {
    const innermost = findInnermost(mutation, functions, numbersOf)
    // Code outside of functions runs once per process. Tests that import the file or one of its importers, or
    // call their functions, see its effect.
    const files = innermost === undefined ? [mutation.file, ...(importers.get(mutation.file) ?? [])] : []
    const numbers = innermost === undefined ? files.flatMap((file) => numbersOf.get(file) ?? []) : [innermost]
    const reaching = sets.filter(
      ({ reached, imports }) =>
        numbers.some((number) => reached.has(number)) || imports.some((path) => files.includes(path)),
    )
    return reaching
      .map(({ test }) => test)
      .sort((a, b) => a.reached.length - b.reached.length)
      .map((test) => ({ ...test, ...selectNames(test, numbers) }))
  }
}

function selectNames({ tests }: RecordedTest, numbers: readonly number[]): { names?: string[] } {
  const names = tests.filter(({ reached }) => includesSome(reached, numbers)).map(({ name }) => name)
  // Without any, the file calls the function outside of its tests.
  return names.length === 0 || names.length > tests.length / 2 ? {} : { names }
}

/** Return the innermost function around a mutation, by number. */
function findInnermost(
  { file, start, end }: Mutation,
  functions: Reach['functions'],
  numbersOf: ReadonlyMap<string, number[]>,
): number | undefined {
  const size = (number: number) => (functions[number]?.end ?? 0) - (functions[number]?.start ?? 0)
  const around = (numbersOf.get(file) ?? []).filter((number) => {
    const range = functions[number]
    return range && range.start <= start && end <= range.end
  })
  return around.sort((a, b) => size(a) - size(b))[0]
}

/** List the files that import each file. */
function listImporters(root: string): Map<string, string[]> {
  const importers = new Map<string, string[]>()
  for (const file of listSourceFiles(root))
    for (const imported of listImports(root, file))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
  return importers
}

/** List the files of the checkout that a file imports. */
function listImports(root: string, file: string): string[] {
  const { body } = parseSource(readFileSync(join(root, file), 'utf8'))
  return (body as Node[]).flatMap(({ type, source }) => {
    const path = type === 'ImportDeclaration' ? String((source as Node).value) : ''
    return path.startsWith('.') ? join(file, '..', path) : []
  })
}
