import { defineConfig } from 'vitest/config'
import { LongestFirst } from './support/sequencer.ts'

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default defineConfig({
  // Node cannot import the Worker's compiled wasm, which hashes passwords. No test in this process hashes a
  // password.
  plugins: [
    { name: 'no-wasm', enforce: 'pre', load: (id) => (id.endsWith('.wasm') ? 'export default null' : null) },
  ],
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // One more than the two processors of a small machine, because some test files mostly wait. Five take a
    // tenth longer.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Test files share loaded modules, which is faster. No test replaces modules or globals.
    isolate: false,
    // A test that expects nothing proves nothing.
    expect: { requireAssertions: true },
    // For tests marked as concurrent, which mostly wait for the service.
    maxConcurrency: 4,
  },
})
