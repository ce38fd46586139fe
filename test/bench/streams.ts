import { connect, type Socket } from 'node:net'

/** The events that the clients of one hub received. */
export interface StreamLatency {
  name: string
  clients: number
  /** Share of the events that arrived, from 0 to 1. */
  arrived: number
  /** Latency from publishing an event, in milliseconds. */
  p50: number
  p99: number
}

const clientCount = Number(process.env.BENCH_CLIENTS ?? 500)
const eventCount = Number(process.env.BENCH_EVENTS ?? 50)
const intervalMs = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Measure the service's hub and the baseline in turns, twice each, in one workerd. Return the better result
 * of each.
 */
export async function measureStreams(port: number): Promise<StreamLatency[]> {
  const results: StreamLatency[] = []
  for (const round of [1, 2])
    for (const name of ['ECHO', 'HUB']) results.push(await measureHub(port, name, round))
  return ['HUB', 'ECHO'].map(
    (name) =>
      results.filter((result) => result.name === name).sort((a, b) => a.p99 - b.p99)[0] as StreamLatency,
  )
}

async function measureHub(port: number, name: string, round: number): Promise<StreamLatency> {
  const latencies: number[] = []
  const sockets: Socket[] = []
  const path = `/streams/${name}/${round}`
  // 50 at a time, because the backlog of a listening socket is limited.
  for (let n = 0; n < clientCount; n += 50) {
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, clientCount - n) }, () => openStream(port, path, latencies)),
      )),
    )
  }
  for (let n = 0; n < eventCount; n++) {
    const interval = pause(intervalMs)
    const event = {
      key: crypto.randomUUID(),
      event: 'handoff_created',
      data: { at: performance.now(), title: 'x'.repeat(200) },
    }
    await fetch(`http://127.0.0.1:${port}${path}/publish`, { method: 'POST', body: JSON.stringify([event]) })
    await interval
  }
  for (let n = 0; n < 100 && latencies.length < clientCount * eventCount; n++) await pause(50)
  for (const socket of sockets) socket.destroy()
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? Number.NaN
  const arrived = latencies.length / (clientCount * eventCount)
  return { name, clients: clientCount, arrived, p50: quantile(0.5), p99: quantile(0.99) }
}

/** Open a stream that adds the latency of each received event to `latencies`. */
function openStream(port: number, path: string, latencies: number[]): Promise<Socket> {
  const body = JSON.stringify({
    accountId: crypto.randomUUID(),
    userId: crypto.randomUUID(),
    signInId: crypto.randomUUID(),
    lastEventId: null,
  })
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `POST ${path}/subscribe HTTP/1.1\r\nhost: bench\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    )
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      const now = performance.now()
      if (text.includes(': connected')) resolve(socket)
      else if (text.startsWith('HTTP/1.1') && !text.startsWith('HTTP/1.1 200'))
        reject(new Error(text.slice(0, 300)))
      for (const [, publishedAt] of text.matchAll(/"at":(\d+(?:\.\d+)?)/g))
        latencies.push(now - Number(publishedAt))
    })
  })
}

export function printStreams([hub, echo]: StreamLatency[]): void {
  if (!hub || !echo) return
  const formatMs = (value: number) => value.toFixed(1)
  console.log(
    `The escalation stream: ${hub.clients} clients of one account, ${eventCount} events, one every ${intervalMs} ms`,
  )
  for (const [title, { arrived, p50, p99 }] of [
    ['hub', hub],
    ['baseline', echo],
  ] as const)
    console.log(
      `  ${title}: ${(arrived * 100).toFixed(2)} % arrived, p50 ${formatMs(p50)} ms, p99 ${formatMs(p99)} ms`,
    )
  console.log(
    `  p99 of the hub as a ratio to the baseline: ${(hub.p99 / echo.p99).toFixed(2)}; p50: ${(hub.p50 / echo.p50).toFixed(2)}`,
  )
}
