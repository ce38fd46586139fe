import { type ChildProcess, fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cpuMicros, ownCpuMicros } from './cpu.ts'
import { exported } from './exports.ts'
import { type Measure, pgbenchPerSecond, poolPerSecond } from './floors.ts'
import { flowCounts, flowLists, flowSteps } from './flows.ts'
import { growth } from './growth.ts'
import { type Load, loadFor, loadWhile, type Shot } from './load.ts'
import { benchUsers, type Crowd, notificationId, notificationsEach, seedCrowd } from './seed.ts'
import type { Standing, Subject } from './server.ts'
import { sessionCounts, sessionReads } from './sessions.ts'
import { printStreams, streams } from './streams.ts'
import { printExports, printGrowth, printLists, printMeasures, printSteps, type Result } from './table.ts'

const connections = 16
const seconds = Number(process.env.BENCH_SECONDS ?? 4)
/** What can be measured alone. */
const parts = ['notifications', 'flows', 'exports', 'streams', 'sessions'] as const
const measures: readonly Measure[] = ['list', 'unread-count', 'mark-read']

const random = (below: number): number => Math.floor(Math.random() * below)

function shotsOf(crowd: Crowd): Record<Measure, () => Shot> {
  // Everyone in turn: limits are per person and minute.
  let turn = 0
  const anyone = () => (turn = (turn + 1) % crowd.users)
  const as = (user: number) => ({ token: crowd.tokens[user] ?? '' })
  return {
    list: () => ({ method: 'GET', path: '/api/v1/notifications?limit=50', ...as(anyone()) }),
    'unread-count': () => ({ method: 'GET', path: '/api/v1/notifications/unread-count', ...as(anyone()) }),
    'mark-read': () => {
      const user = anyone()
      const id = notificationId(crowd, user + 1, 1 + random(notificationsEach))
      return { method: 'PATCH', path: `/api/v1/notifications/${id}/read`, ...as(user) }
    },
  }
}

function standUp(): Promise<{ server: ChildProcess; standing: Standing }> {
  return new Promise((resolve, reject) => {
    const server = fork(join(import.meta.dirname, 'server.ts'))
    server.once('exit', (code) => reject(new Error(`The bench's server ended with ${code}`)))
    server.once('message', ({ standing }: { standing: Standing }) => resolve({ server, standing }))
  })
}

function roundTrips(server: ChildProcess, name: string): Promise<number> {
  return new Promise((resolve) => {
    server.once('message', (answer: { roundTrips: number }) => resolve(answer.roundTrips))
    server.send({ roundTrips: name })
  })
}

/** Microseconds of processor time so far, by part. */
function clocks(server: ChildProcess, standing: Standing, subject: Subject): Record<string, number | null> {
  return {
    workerd: ownCpuMicros(subject.workerdPid),
    standIns: ownCpuMicros(server.pid ?? 0),
    postgres: cpuMicros(standing.postgresPid),
    ...(subject.redisPid ? { redis: ownCpuMicros(subject.redisPid) } : {}),
  }
}

async function measured(
  server: ChildProcess,
  standing: Standing,
  subject: Subject,
  shot: () => Shot,
): Promise<Load & Pick<Result, 'cpu' | 'trips'>> {
  // Once around, so that every token is known and every statement prepared.
  let left = benchUsers
  await loadWhile({ port: subject.port, connections, next: shot, more: () => left-- > 0 })
  const [tripsBefore, before] = [await roundTrips(server, subject.name), clocks(server, standing, subject)]
  const end = performance.now() + seconds * 1000
  const load = await loadWhile({ port: subject.port, connections, next: shot, more: () => performance.now() < end })
  const after = clocks(server, standing, subject)
  const cpu = Object.entries(after).map(
    ([part, micros]) => [part, micros === null ? null : (micros - (before[part] ?? 0)) / load.requests] as const,
  )
  const trips = ((await roundTrips(server, subject.name)) - tripsBefore) / load.requests
  return { ...load, cpu: Object.fromEntries(cpu), trips }
}

async function measureAll(server: ChildProcess, standing: Standing, crowd: Crowd): Promise<Result[]> {
  const shots = shotsOf(crowd)
  const results: Result[] = []
  for (const measure of measures) {
    const pool = await poolPerSecond(standing.ownerUrl, measure, connections, seconds / 2)
    const pgbench = await pgbenchPerSecond(standing, measure, connections, Math.ceil(seconds / 2))
    for (const subject of standing.subjects) {
      const ours = await measured(server, standing, subject, shots[measure])
      const bareAt = async (path: string) =>
        (await loadFor(subject.barePort, connections, seconds / 2, () => ({ method: 'GET', path }))).perSecond
      const [bare, calls] = [await bareAt(`/bare/${ours.bytes}`), await bareAt('/calls')]
      results.push({ measure, subject: subject.name, ...ours, floors: { pool, pgbench, bare, calls } })
    }
  }
  return results
}

/** All there is to measure, or the one part that is named. */
async function measureChosen(server: ChildProcess, standing: Standing): Promise<void> {
  const place = { postgresPort: standing.postgresPort, database: standing.database, settings: standing.settings }
  const alone = parts.find((part) => process.argv.includes(`--${part}`))
  if (!alone || alone === 'notifications') {
    const crowd = await seedCrowd(place, '0b', benchUsers, notificationsEach)
    console.log(`Measuring over ${connections} connections ...\n`)
    printMeasures(await measureAll(server, standing, crowd))
    if (!process.argv.includes('--no-growth')) printGrowth(await growth(place, standing))
  }
  if (!alone || alone === 'flows') {
    printLists('Lists of flows', flowCounts, await flowLists(place, standing))
    printSteps(await flowSteps(place, standing))
  }
  if (!alone || alone === 'exports') printExports(await exported(place, standing))
  if (alone === 'streams') printStreams(await streams(standing.subjects[0]?.barePort ?? 0))
  // A million sessions take their time: only when they are asked for.
  if (alone === 'sessions') printLists('Lists and figures of sessions', sessionCounts, await sessionReads(place, standing))
}

async function bench(): Promise<void> {
  const started = performance.now()
  console.log(`Building, starting PostgreSQL, the stand-ins and workerd on ${availableParallelism()} processors ...`)
  const { server, standing } = await standUp()
  try {
    await measureChosen(server, standing)
    console.log(`\nTook ${Math.round((performance.now() - started) / 1000)} s.`)
  } finally {
    server.removeAllListeners('exit')
    const gone = new Promise((resolve) => server.once('exit', resolve))
    server.send('end')
    await gone
    await rm(standing.folder, { recursive: true, force: true })
  }
}

await bench()
