import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'

/** Read the resident memory of a process, in bytes. */
export function readResidentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
}

/** The inspector of a Node process that was started with `--inspect`. */
export interface Inspector {
  /** Collect garbage, and return the bytes of the heap and of the buffers outside of it. */
  readHeapBytes(): Promise<number>
  close(): void
}

interface HeapUsage {
  usedSize: number
  backingStorageSize?: number
}

/** Connect to an inspector: https://chromedevtools.github.io/devtools-protocol/v8/ */
export async function connectInspector(port: number): Promise<Inspector> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '')
  await once(socket, 'open')
  let lastId = 0
  const call = (method: string) =>
    new Promise<HeapUsage>((resolve, reject) => {
      const id = ++lastId
      const onMessage = (text: Buffer) => {
        const answer = JSON.parse(text.toString())
        if (answer.id !== id) return
        socket.off('message', onMessage)
        if (answer.error) reject(new Error(answer.error.message))
        else resolve(answer.result)
      }
      socket.on('message', onMessage)
      socket.send(JSON.stringify({ id, method }))
    })
  return {
    async readHeapBytes() {
      // What finalizers release is collected by the second run.
      for (let run = 0; run < 2; run++) {
        await call('HeapProfiler.collectGarbage')
        await pause(500)
      }
      const { usedSize, backingStorageSize = 0 } = await call('Runtime.getHeapUsage')
      return usedSize + backingStorageSize
    },
    close: () => socket.close(),
  }
}
