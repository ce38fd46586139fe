import { createServer } from 'node:http'
import { afterAll } from 'vitest'

/**
 * Serve a page with a script on an origin of its own until the tests of the file have run. Return the origin.
 */
export async function startFrontend(script = ''): Promise<string> {
  const page =
    '<!doctype html><html lang="en"><title>Frontend</title><div id="root"></div><script type="module" src="/page.js"></script></html>'
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    response
      .writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      .end(isScript ? script : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}
