import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Resolve when a process accepts connections on a port of the loopback interface. Throw when it ends, or
 * after 30 s.
 */
export async function waitForPort(child: ChildProcess, port: number, name: string): Promise<void> {
  const end = Date.now() + 30_000
  while (Date.now() < end) {
    if (child.exitCode !== null) throw new Error(`The ${name} exited with code ${child.exitCode}`)
    if (await isPortOpen(port)) return
    await pause(5)
  }
  throw new Error(`The ${name} does not accept connections`)
}

function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
