import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default defineConfig({
  // Node cannot import the Worker's compiled wasm, which hashes passwords. No test in this process hashes a
  // password.
  plugins: [
    { name: 'no-wasm', enforce: 'pre', load: (id) => (id.endsWith('.wasm') ? 'export default null' : null) },
  ],
  test: {
    name: 'soak',
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/soak/*.soak.ts'],
    globalSetup: ['test/support/setup.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    // One test at a time: each makes many concurrent calls itself.
    maxWorkers: 1,
    fileParallelism: false,
  },
})
