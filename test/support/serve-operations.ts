import { serve } from '@hono/node-server'
import { afterAll } from 'vitest'
import { createApp } from '#http/app.ts'
import type { AnyOperation } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { createNodeServices } from '#platform/node/services.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'

/**
 * Serve operations over HTTP from this process. Call it at the top level of a test file; the server closes
 * when the file ends. The operations need not be part of the Worker.
 */
export async function serveOperations(
  operations: readonly AnyOperation[],
  settings: Record<string, string>,
): Promise<{ api: string }> {
  const services = createNodeServices(parseNodeConfig({ OBJECTS_DIR: 'none', ...settings }), {
    log: () => {},
  }).services
  const app = createApp(services)
  mountOperations(app, [toRouteGroup(operations)], services)
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
      resolve({ api: `http://127.0.0.1:${port}` }),
    )
    afterAll(() => void server.close())
  })
}
