import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { root } from '#local/root.ts'

/** Read the rules in rules.tsv by id, in the order of the file. */
async function readRules(): Promise<Map<string, string>> {
  const lines = (await readFile(join(import.meta.dirname, 'rules.tsv'), 'utf8')).trim().split('\n').slice(1)
  return new Map(lines.map((line) => line.split('\t')).map(([id = '', , rule = '']) => [id, rule]))
}

interface NamedTest {
  name: string
  /** Whether only the nightly run has it. */
  isNight: boolean
}

/** Return the names of all tests in a source, except skipped ones and todos. */
export function listTests(source: string): NamedTest[] {
  const tests: NamedTest[] = []
  const isNightFile = source.startsWith('// @module-tag night')
  for (const match of source.matchAll(/(?<![\w.$'"`])(?:it|test|describe)((?:\.\w+)*)(?:<[^()]*>)?\s*\(/g)) {
    const modifiers = match[1] ?? ''
    if (/\.(skip|todo)\b/.test(modifiers)) continue
    let start = match.index + match[0].length
    if (/\.(each|for|skipIf|runIf)$/.test(modifiers)) {
      start = source.indexOf('(', endOfCall(source, start)) + 1
    }
    const name = /^\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1(,\s*night\b)?/.exec(source.slice(start, start + 1000))
    if (name?.[2] !== undefined) tests.push({ name: name[2], isNight: isNightFile || name[3] !== undefined })
  }
  return tests
}

/** Return the index after the bracket that closes the one before `at`. Brackets in strings do not count. */
function endOfCall(source: string, at: number): number {
  let depth = 1
  let quote = ''
  for (let i = at; i < source.length; i++) {
    const c = source[i] ?? ''
    if (quote) {
      if (c === '\\') i++
      else if (c === quote) quote = ''
    } else if (`'"\``.includes(c)) quote = c
    else if (c === '(') depth++
    else if (c === ')' && --depth === 0) return i + 1
  }
  return source.length
}

/** Return the rule ids at the start of a name: two in `NOT-11 NOT-47 tests a config`. */
export function rulesOf(name: string, groups: ReadonlySet<string>): string[] {
  const ids: string[] = []
  for (const word of name.split(' ')) {
    if (!/^[A-Z]{3}-\d+$/.test(word) || !groups.has(word.slice(0, 3))) break
    ids.push(word)
  }
  return ids
}

/**
 * Files whose tests name a rule, or whose first line has a tag of vitest.config.ts that says why they have none. What
 * proves the pieces in lib/ and the emulators needs no rule.
 */
const mustNameRules = /^test\/(client|contract|functions|platform|security|tour)\//

async function listTestFiles(): Promise<string[]> {
  const files = await readdir(join(root, 'test'), { recursive: true })
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => join(root, 'test', file))
}

async function main(): Promise<number> {
  const rules = await readRules()
  const groups = new Set([...rules.keys()].map((id) => id.slice(0, 3)))
  const testedRules = new Set<string>()
  const dayRules = new Set<string>()
  const unknown: string[] = []
  const unnamed: string[] = []
  for (const file of await listTestFiles()) {
    const source = await readFile(file, 'utf8')
    const ids = listTests(source).flatMap(({ name, isNight }) =>
      rulesOf(name, groups).map((id) => ({ id, isNight })),
    )
    for (const { id, isNight } of ids) {
      if (!rules.has(id)) unknown.push(`${id} in ${relative(root, file)}`)
      testedRules.add(id)
      if (!isNight) dayRules.add(id)
    }
    if (ids.length === 0 && mustNameRules.test(relative(root, file)) && !source.includes('@module-tag '))
      unnamed.push(relative(root, file))
  }
  for (const group of groups) {
    const ids = [...rules.keys()].filter((id) => id.startsWith(group))
    const done = ids.filter((id) => testedRules.has(id)).length
    console.log(`${group} ${done} of ${ids.length} rules have a test`)
  }
  const nightRules = [...testedRules].filter((id) => !dayRules.has(id))
  console.log(`${nightRules.length} rules have long proofs alone: ${nightRules.join(', ')}`)
  const missing = [...rules].filter(([id]) => !testedRules.has(id))
  if (missing.length > 0)
    console.log(`\nRules without a test:\n${missing.map(([id, rule]) => `  ${id} ${rule}`).join('\n')}`)
  if (unknown.length > 0) console.log(`\nUnknown rules:\n${unknown.map((line) => `  ${line}`).join('\n')}`)
  if (unnamed.length > 0)
    console.log(`\nFiles without a rule or a tag that says why:\n  ${unnamed.join('\n  ')}`)
  return missing.length + unknown.length + unnamed.length > 0 ? 1 : 0
}

if (import.meta.main) process.exitCode = await main()
