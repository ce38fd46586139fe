import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '#local/root.ts'

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '200' }, seed: { type: 'string' } },
})
for (const [name, value] of Object.entries(values)) {
  if (/^\d{1,10}$/.test(value)) continue
  console.error(`--${name} takes a whole number: npm run fuzz -- --cases 200 --seed 7`)
  process.exit(2)
}
const vitest = [
  join(root, 'node_modules/vitest/vitest.mjs'),
  'run',
  '--config',
  'test/vitest.config.ts',
  'test/contract/fuzz.test.ts',
]
const { status } = spawnSync(process.execPath, vitest, {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FUZZ_CASES: values.cases, ...(values.seed ? { FUZZ_SEED: values.seed } : {}) },
})
process.exitCode = status ?? 1
