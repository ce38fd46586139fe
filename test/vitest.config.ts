import { defineConfig } from 'vitest/config'
import { ContractFirst } from './support/sequence.ts'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration so
export default defineConfig({
  // The Worker's compiled wasm means nothing to Node; no test that runs here hashes a password.
  plugins: [{ name: 'no-wasm', enforce: 'pre', load: (id) => (id.endsWith('.wasm') ? 'export default null' : null) }],
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two processors, and a file in every few that waits for time to pass.
    maxWorkers: 3,
    sequence: { sequencer: ContractFirst },
    // What a file imports, the next one has; nothing here replaces modules or globals.
    isolate: false,
    // Of the tests that say they may: they wait for the service more than they work.
    maxConcurrency: 4,
  },
})
