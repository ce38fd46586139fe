import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listMutations } from './candidates.ts'
import { createDraw } from './draw.ts'
import { addProbes, listFunctions } from './functions.ts'
import { packNumbers } from './number-set.ts'
import { createRandom } from './random.ts'
import { selectByName } from './run-tests.ts'
import { createTestSelector } from './select-tests.ts'

/** Write files into a temporary checkout, and return its path. */
function createCheckout(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'checkout-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'lib'))
  for (const [file, source] of Object.entries(files)) writeFileSync(join(root, file), source)
  return root
}

/** Return every mutated form of a source. */
function mutate(source: string): string[] {
  const root = createCheckout({ 'lib/a.ts': source })
  return listMutations(root, 'lib/a.ts').map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  )
}

describe('mutants', () => {
  it.each([
    ['if (a) b()', ['if (!(a)) b()', 'if (a) ;']],
    ['const x = a ? b : c', ['const x = !(a) ? b : c']],
    ['if (a === b) {}', ['if (a !== b) {}']],
    ['const x = a < b', ['const x = a <= b']],
    ['const x = (a /* < */) >= b', ['const x = (a /* < */) > b']],
    ['const x = a && (b || c)', ['const x = a || (b || c)', 'const x = a && (b && c)']],
    ['const x = a ?? b', ['const x = a']],
    ['const x = 5', ['const x = 6', 'const x = 4']],
    ['const x = 0 as const', ['const x = 1 as const', 'const x = (-1) as const']],
    ['const x: 5 | true = y as 7', []],
    ['const x = false', ['const x = true']],
    ['await f(a)', [';']],
    ['void f()', [';']],
    ["throw new Problem('not_found')", ["throw new Problem('conflict')"]],
  ])('of `%s` differ in one place', (source, expected) => {
    expect(mutate(source).map((text) => text.trimEnd())).toEqual(expected)
  })

  it.each([
    "import a from 'a' with { type: 'json' }",
    "const x = z.string().describe(a ? '1' : '2')",
    'const x = { description: 1, examples: [true] }',
    'const x = { 404: y }',
    'const exampleUser = { is_active: true }',
    'log({ ms: a ?? 5 })',
    'console.log(5)',
    'throw new Error(a && b)',
    'const table = [1, 2, 3, 4, 5, 6, 7, 8, 9]',
    'if (import.meta.main) run(5)',
    'interface A { a: 5 }',
  ])('are not made of what no caller sees: %s', (source) => {
    expect(mutate(source)).toEqual([])
  })

  it('are made of what has a description', () => {
    expect(mutate("const x = z.string().max(5).describe('at most 5')")).toHaveLength(2)
  })

  it('are drawn in the same order for the same seed, each once, with kinds in equal parts', () => {
    const source = `${'f(); '.repeat(3)}${'const x = 5; '.repeat(40)}`
    const mutations = listMutations(createCheckout({ 'lib/a.ts': source }), 'lib/a.ts')
    const drawAll = (seed: number) => {
      const draw = createDraw(mutations, createRandom(seed))
      return mutations.map(() => draw())
    }
    expect(drawAll(1)).toEqual(drawAll(1))
    expect(drawAll(1)).not.toEqual(drawAll(2))
    expect(new Set(drawAll(1)).size).toBe(mutations.length)
    expect(
      drawAll(1)
        .slice(0, 12)
        .filter((mutation) => mutation?.kind === 'call'),
    ).toHaveLength(3)
  })
})

describe('the probes of functions', () => {
  it('report each call, and change no result', () => {
    const source =
      'function f(a = () => 1) { return a() } const g = (x) => ({ x }); const h = { async m() { return f() }, n: (y) => y }; [f, g, h]'
    const called: number[] = []
    Object.assign(globalThis, { reach: (number: number) => called.push(number) })
    onTestFinished(() => void Reflect.deleteProperty(globalThis, 'reach'))
    // biome-ignore lint/security/noGlobalEval: the text is the one above
    const [f, g, h] = globalThis.eval(addProbes(source, 10))
    expect(listFunctions('lib/a.ts', source)).toHaveLength(5)
    expect([f(), g(2), h.n(3)]).toEqual([1, { x: 2 }, 3])
    expect(called).toEqual([10, 11, 12, 14])
  })
})

describe('the tests of a mutant', () => {
  const files = {
    'lib/a.ts': 'const limit = 5\nexport const f = () => limit\nexport function g() { return 7 }\n',
    'lib/b.ts': "import { f } from './a.ts'\nexport const h = () => f()\n",
  }
  const testFiles = {
    'all.test.ts': '',
    'g.test.ts': '',
    'h.test.ts': '',
    'b.test.ts': "import { h } from './lib/b.ts'\n",
  }
  const toTests = (reached: Record<string, number[]>) =>
    Object.entries(reached).map(([name, numbers]) => ({ name, reached: packNumbers(new Set(numbers)) }))
  const select = (before: string) => {
    const root = createCheckout({ ...files, ...testFiles })
    const functions = Object.entries(files).flatMap(([file, source]) => listFunctions(file, source))
    const tests = [
      {
        file: 'all.test.ts',
        hash: '',
        ms: 1,
        reached: [0, 1, 2],
        tests: toTests({ f: [0], g: [1], h: [2] }),
      },
      { file: 'g.test.ts', hash: '', ms: 1, reached: [1], tests: [] },
      { file: 'h.test.ts', hash: '', ms: 1, reached: [2], tests: toTests({ first: [2], second: [2] }) },
      { file: 'b.test.ts', hash: '', ms: 1, reached: [], tests: [] },
    ]
    const selectTests = createTestSelector(root, { hash: '', functions, tests, failing: [] })
    const mutation = listMutations(root, 'lib/a.ts').find((candidate) => candidate.before === before)
    return mutation && selectTests(mutation).map(({ file, names }) => (names ? `${file} ${names}` : file))
  }

  it('are those that call its function, the most specific first', () => {
    expect(select('7')).toEqual(['g.test.ts', 'all.test.ts g'])
  })

  it('are those that import or call its file, or one that imports it, when it is outside of functions', () => {
    expect(select('5')).toEqual(['b.test.ts', 'g.test.ts', 'h.test.ts', 'all.test.ts'])
  })

  it('are selected by name, unless the names exceed the length of an argument', () => {
    expect(selectByName(['reads a.b', 'b (c)'])).toEqual(['-t', '(reads a\\.b|b \\(c\\))$'])
    expect(selectByName(['ä'.repeat(65_534)])).toHaveLength(2)
    expect(selectByName(['ä'.repeat(65_535)])).toEqual([])
  })
})
