import { defineConfig } from 'vitest/config'
import { isNight, listNightFiles } from './support/night.ts'
import { LongestFirst } from './support/sequencer.ts'

/** Why the tests of a file name no rule. Its first line has one of these tags. */
const tags = [
  { name: 'behaviour', description: 'what callers see, of which the API document has no rule' },
  { name: 'mechanism', description: 'how a piece works that several rules stand on' },
  { name: 'shape', description: 'the form of files, declarations and tables' },
  { name: 'plan', description: 'how much PostgreSQL reads, and in how many round trips' },
  { name: 'attack', description: 'what stops an attacker; the table in security/README.md names it' },
  { name: 'journey', description: 'one way through many rules, which have their own tests' },
  { name: 'night', description: 'a long proof, which the nightly run has', skip: !isNight },
]

const root = new URL('..', import.meta.url).pathname

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default defineConfig({
  // Node cannot import the Worker's compiled wasm, which hashes passwords. No test in this process hashes a
  // password.
  plugins: [
    { name: 'no-wasm', enforce: 'pre', load: (id) => (id.endsWith('.wasm') ? 'export default null' : null) },
  ],
  test: {
    root,
    include: ['test/**/*.test.ts'],
    // By day these are not even loaded.
    exclude: isNight ? [] : listNightFiles(root),
    globalSetup: ['test/support/setup.ts'],
    setupFiles: process.env.COSTS ? ['test/support/costs-setup.ts'] : [],
    // These only stop what hangs. A machine that is busy may take many times as long as a quiet one.
    testTimeout: 180_000,
    hookTimeout: 600_000,
    // One more than the two processors of a small machine, because some test files mostly wait. Five take a
    // tenth longer.
    maxWorkers: 3,
    tags,
    sequence: { sequencer: LongestFirst },
    // Test files share loaded modules, which is faster. No test replaces modules or globals.
    isolate: false,
    // A test that expects nothing proves nothing.
    expect: { requireAssertions: true, poll: { timeout: 30_000 } },
    // For tests marked as concurrent, which mostly wait for the service.
    maxConcurrency: 4,
  },
})
