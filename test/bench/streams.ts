import { connect, type Socket } from 'node:net'

/** What the clients of one hub met. */
export interface Streamed {
  name: string
  clients: number
  /** How many of all events arrived. */
  arrived: number
  /** Milliseconds from the moment of publishing. */
  p50: number
  p99: number
}

const clients = Number(process.env.BENCH_CLIENTS ?? 500)
const events = Number(process.env.BENCH_EVENTS ?? 50)
const everyMs = 200
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The real hub and an echo, in one workerd, one after the other and each twice: the better of both counts. */
export async function streams(port: number): Promise<Streamed[]> {
  const found: Streamed[] = []
  for (const round of [1, 2]) for (const name of ['ECHO', 'HUB']) found.push(await measure(port, name, round))
  return ['HUB', 'ECHO'].map((name) => found.filter((one) => one.name === name).sort((a, b) => a.p99 - b.p99)[0] as Streamed)
}

async function measure(port: number, name: string, round: number): Promise<Streamed> {
  const times: number[] = []
  const sockets: Socket[] = []
  const path = `/streams/${name}/${round}`
  // In steps: a listener's backlog is short.
  for (let n = 0; n < clients; n += 50) {
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(50, clients - n) }, () => open(port, path, times)))))
  }
  for (let n = 0; n < events; n++) {
    const next = pause(everyMs)
    const event = { key: crypto.randomUUID(), event: 'handoff_created', data: { at: performance.now(), title: 'x'.repeat(200) } }
    await fetch(`http://127.0.0.1:${port}${path}/publish`, { method: 'POST', body: JSON.stringify([event]) })
    await next
  }
  for (let n = 0; n < 100 && times.length < clients * events; n++) await pause(50)
  for (const socket of sockets) socket.destroy()
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(times.length * share) - 1] ?? Number.NaN
  return { name, clients, arrived: times.length / (clients * events), p50: at(0.5), p99: at(0.99) }
}

function open(port: number, path: string, times: number[]): Promise<Socket> {
  const body = JSON.stringify({
    accountId: crypto.randomUUID(),
    userId: crypto.randomUUID(),
    signInId: crypto.randomUUID(),
    lastEventId: null,
  })
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`POST ${path}/subscribe HTTP/1.1\r\nhost: bench\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    )
    socket.once('error', reject)
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      const now = performance.now()
      if (text.includes(': connected')) resolve(socket)
      else if (text.startsWith('HTTP/1.1') && !text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 300)))
      for (const [, at] of text.matchAll(/"at":(\d+(?:\.\d+)?)/g)) times.push(now - Number(at))
    })
  })
}

export function printStreams([hub, echo]: Streamed[]): void {
  if (!hub || !echo) return
  const ms = (value: number) => value.toFixed(1)
  console.log(`The escalation stream: ${hub.clients} clients of one account, ${events} events, one every ${everyMs} ms`)
  for (const [title, { arrived, p50, p99 }] of [
    ['hub', hub],
    ['bare echo', echo],
  ] as const)
    console.log(`  ${title}: ${(arrived * 100).toFixed(2)} % arrived, p50 ${ms(p50)} ms, p99 ${ms(p99)} ms`)
  console.log(`  p99 of the hub to p99 of the echo: ${(hub.p99 / echo.p99).toFixed(2)}; p50: ${(hub.p50 / echo.p50).toFixed(2)}`)
}
