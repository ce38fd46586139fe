import { mergeConfig } from 'vitest/config'
import base from '#test/vitest.config.ts'

// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default mergeConfig(base, {
  test: {
    setupFiles: ['test/mutants/record-reach.ts'],
    // The Worker is built for the mutants of its own files only.
    exclude: [...(process.env.TEST_WORKER ? [] : ['test/platform/worker.test.ts']), 'test/mutants/**'],
  },
})
