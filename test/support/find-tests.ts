import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'

/** Find the test files that belong to changed files. Paths are relative to `root`. */
export async function findTests(root: string, changed: readonly string[]): Promise<string[]> {
  const tests = globSync('test/**/*.test.ts', { cwd: root }).sort()
  const texts = new Map<string, string>(
    await Promise.all(tests.map(async (test) => [test, await readFile(join(root, test), 'utf8')] as const)),
  )
  return [...new Set(changed.flatMap((file) => findTestsOf(file, texts)))]
}

function findTestsOf(file: string, texts: ReadonlyMap<string, string>): string[] {
  const tests = [...texts.keys()]
  if (texts.has(file)) return [file]
  if (file.startsWith('migrations/')) return tests.filter((test) => /\/(statements|migrate|release)\.test\.ts$/.test(test))
  const importing = tests.filter((test) => importsFile(test, texts.get(test) ?? '', file))
  if (importing.length > 0) return importing
  const [top, subject = '', group] = file.split('/')
  // A group of operations is tested over HTTP, by files of its subject. The name of a file begins with what it is about.
  const ofSubject = tests.filter((test) => test.startsWith(`test/functions/${subject}/`))
  const stem = (group ?? '').replace(/\.ts$/, '').replace(/(ies|s)$/, '')
  const ofGroup = ofSubject.filter((test) => stem && basename(test).includes(stem))
  if (top === 'functions') return ofGroup.length > 0 ? ofGroup : ofSubject
  // A file of lib that no test imports is tested with its neighbours.
  return tests.filter((test) => importsFolder(test, texts.get(test) ?? '', dirname(file)))
}

function listImports(test: string, text: string): string[] {
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => join(dirname(test), path))
}

function importsFile(test: string, text: string, file: string): boolean {
  return listImports(test, text).includes(file)
}

function importsFolder(test: string, text: string, folder: string): boolean {
  return listImports(test, text).some((path) => !relative(folder, path).startsWith('..'))
}
