import { mergeConfig } from 'vitest/config'
import base from '../vitest.config.ts'

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default mergeConfig(base, {
  test: {
    setupFiles: ['test/mutants/record-reach.ts'],
    // The Worker that these start is built from unchanged files.
    exclude: ['test/platform/worker.test.ts', 'test/mutants/**'],
  },
})
