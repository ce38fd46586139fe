import { serve } from '@hono/node-server'
import { afterAll } from 'vitest'
import { createApp } from '../../lib/http/app.ts'
import type { AnyOperation } from '../../lib/http/operation.ts'
import { mountOperations } from '../../lib/http/request.ts'
import { createCloudflareServices } from '../../lib/platform/cloudflare/services.ts'
import { parseCloudflareConfig } from '../../lib/platform/cloudflare/settings.ts'

/**
 * Serve operations over HTTP from this process. Call it at the top level of a test file; the server closes when the file ends. The
 * operations need not be part of the Worker.
 */
export async function serveOperations(operations: readonly AnyOperation[], settings: Record<string, string>): Promise<{ api: string }> {
  const services = createCloudflareServices(parseCloudflareConfig(settings), () => {})
  const app = createApp(services)
  mountOperations(app, operations, services)
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve({ api: `http://127.0.0.1:${port}` }))
    afterAll(() => void server.close())
  })
}
