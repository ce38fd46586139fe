import { defineConfig } from 'vitest/config'

// biome-ignore lint/style/noDefaultExport: vitest reads its configuration so
export default defineConfig({
  // The Worker's compiled wasm means nothing to Node; no test that runs here hashes a password.
  plugins: [{ name: 'no-wasm', enforce: 'pre', load: (id) => (id.endsWith('.wasm') ? 'export default null' : null) }],
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/soak/*.soak.ts'],
    globalSetup: ['test/support/setup.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 60_000,
    // One proof at a time: each brings callers enough.
    maxWorkers: 1,
    fileParallelism: false,
  },
})
