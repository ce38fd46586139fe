import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import type { ViteDevServer } from 'vite'
import { root } from '#local/root.ts'

export interface SampleOptions {
  /** 0 uses any free port. */
  port: number
  /** Origin of the service. */
  api: string
  /** The people who sign in with one click. */
  people: readonly { email: string; password: string; description: string }[]
  /** Folder for what Vite prepares. */
  cacheDir?: string
}

export interface Sample {
  origin: string
  close(): Promise<void>
}

/**
 * Serve the sample front end. Vite starts with the first request, because most starts of the service do not
 * need it.
 */
export async function startSample(options: SampleOptions): Promise<Sample> {
  let vite: Promise<ViteDevServer> | undefined
  const server = createServer((request, response) => {
    vite ??= openVite(server, options)
    vite.then(
      ({ middlewares }) => middlewares(request, response),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  await new Promise<void>((resolve) => server.listen(options.port, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    async close() {
      await (await vite)?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function openVite(
  server: Server,
  { api, people, cacheDir = join(root, 'node_modules/.vite/sample') }: SampleOptions,
) {
  const { createServer: createVite } = await import('vite')
  const client = join(root, 'lib/client')
  return createVite({
    configFile: false,
    root: join(root, 'test/sample'),
    cacheDir,
    logLevel: 'warn',
    clearScreen: false,
    appType: 'spa',
    define: {
      'import.meta.env.VITE_API_URL': JSON.stringify(api),
      'import.meta.env.VITE_DEMO_PEOPLE': JSON.stringify(JSON.stringify(people)),
    },
    resolve: { alias: { '@support-flow/client': join(client, 'client.ts') } },
    optimizeDeps: { include: ['react', 'react-dom/client', 'react/jsx-dev-runtime'] },
    server: {
      middlewareMode: true,
      hmr: { server },
      fs: { allow: [join(root, 'test/sample'), client, join(root, 'node_modules')] },
    },
  })
}
