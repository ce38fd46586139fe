// Prints the lines and kilobytes that people wrote in each part of the repository, and the rules of the
// contract: what a change adds should show (see "Growth" in CONTRIBUTING.md).
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#local/root.ts'

const rooms: Record<string, RegExp> = {
  functions: /^functions\//,
  'lib/rules': /^lib\/rules\//,
  'lib/vendors': /^lib\/vendors\//,
  'lib/http, db, platform': /^lib\/(http|db|platform)\//,
  'lib/work, ops, client, …': /^lib\/(?!local\/)/,
  'lib/local': /^lib\/local\//,
  migrations: /^migrations\/[^/]+\.sql$/,
  test: /^test\//,
}
const isCode = /\.(ts|tsx|mjs|cjs|sql|css|html)$/
const isGenerated =
  /^(functions\/(openapi\.json|routes\.ts)|lib\/db\/(schema|exported-columns)\.ts|lib\/rules\/flows\/.*\.schema\.json)$/

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
const sizes = new Map<string, { files: number; lines: number; bytes: number }>()
for (const file of files.split('\0').filter((name) => isCode.test(name) || isGenerated.test(name))) {
  const room = isGenerated.test(file)
    ? 'generated'
    : Object.entries(rooms).find(([, pattern]) => pattern.test(file))?.[0]
  if (!room) continue
  const text = readFileSync(join(root, file), 'utf8')
  const size = sizes.get(room) ?? { files: 0, lines: 0, bytes: 0 }
  sizes.set(room, {
    files: size.files + 1,
    lines: size.lines + text.split('\n').length - 1,
    bytes: size.bytes + Buffer.byteLength(text),
  })
}
const rules = readFileSync(join(root, 'test/contract/rules.tsv'), 'utf8').split('\n').slice(1)
const countRules = (origin: string) => rules.filter((line) => line.split('\t')[1] === origin).length

for (const room of [...Object.keys(rooms), 'generated']) {
  const { files, lines, bytes } = sizes.get(room) ?? { files: 0, lines: 0, bytes: 0 }
  const columns = [files, lines, `${Math.round(bytes / 1024)} kB`].map((cell) => String(cell).padStart(8))
  console.log(`${room.padEnd(26)}${columns.join('')}`)
}
console.log(`${countRules('seed')} rules of the API document and ${countRules('ours')} of ours`)
