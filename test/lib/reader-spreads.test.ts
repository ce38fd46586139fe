import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { parseSource, type SourceNode, walk } from '#test/support/source-tree.ts'

// A call takes about 120,000 arguments, so a spread of a list whose length a file decides is a 500.

/** The file that imports every reader. */
const entry = join(root, 'lib/rules/files/read-file.ts')
/** Files of which readers use other functions. */
const isReader = (file: string) =>
  /^lib\/rules\/(?:knowledge|archive|diagrams|flows|files|markup|text)\//.test(file)

async function* readSources(): AsyncGenerator<{ file: string } & ReturnType<typeof parseSource>> {
  const pending = new Set([entry])
  for (const path of pending) {
    const source = await readFile(path, 'utf8')
    yield { file: relative(root, path), ...parseSource(source) }
    for (const [, name = ''] of source.matchAll(/(?:from|import\()\s*'((?:#rules|\.)[^']+)'/g))
      pending.add(name.startsWith('#') ? join(root, 'lib', name.slice(1)) : join(dirname(path), name))
  }
}

/** Return whether the length of a list is written where it is spread: `bytes.subarray(at, at + 4)`, `[a, b]`. */
const isBounded = (text: string) =>
  /\.(?:subarray|slice)\([^,()]+,[^,()]+\)$/.test(text) || text.startsWith('[')

it('WIR-47 no reader of a file spreads a list into arguments', async () => {
  const spreads: string[] = []
  let files = 0
  for await (const { file, ast, findText } of readSources()) {
    files++
    if (!isReader(file)) continue
    for (const node of walk(ast)) {
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue
      for (const { spread, expression } of (node.arguments ?? []) as {
        spread?: unknown
        expression: SourceNode
      }[]) {
        const text = expression.span ? findText(expression.span) : ''
        if (spread && !isBounded(text)) spreads.push(`${file}: ...${text}`)
      }
    }
  }
  expect(files).toBeGreaterThan(50)
  expect(spreads).toEqual([])
})
