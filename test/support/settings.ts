import { createLocalSettings } from '#local/settings.ts'

/** Settings of a service that is never started. */
export const sampleSettings = createLocalSettings('node', {
  api: 'http://127.0.0.1:1',
  localServer: { port: 1, origin: 'http://127.0.0.1:1' },
  database: 'none',
  databasePort: 1,
})
