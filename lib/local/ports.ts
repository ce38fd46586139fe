import { createServer } from 'node:net'

/**
 * Find a free port of the loopback interface. It is outside the range that systems use for outgoing
 * connections, which could take it before its use.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    if (!(await probePort(port))) return port
  }
  throw new Error('No free port between 20000 and 31999')
}

/** Throw an error that names the setting to change if the port is in use. */
export async function requireFreePort(port: number, setting: string): Promise<void> {
  const error = await probePort(port)
  if (!error) return
  // https://man7.org/linux/man-pages/man7/ip.7.html: the first 1024 are root's.
  if (error.code === 'EACCES')
    throw new Error(`This user may not listen on port ${port}. Set ${setting} to a port above 1023.`)
  if (error.code !== 'EADDRINUSE') throw error
  throw new Error(`Port ${port} is in use. Stop the process that uses it, or set ${setting} to another port.`)
}

/** Listen on a port for a moment. Return the error when that fails. */
function probePort(port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(undefined)))
  })
}
