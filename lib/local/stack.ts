import type { ClientBase } from 'pg'
import { openPostgres } from '#platform/node/postgres.ts'
import type { Event } from '#rules/events/events.ts'
import { createAccountReferences } from '#vendors/billing/account-reference.ts'
import { qstashQueue } from '#vendors/queue/qstash.ts'
import { createClock } from './clock.ts'
import { emitEvent } from './dashboard/emit-event.ts'
import type { DemoUser } from './dashboard/state.ts'
import { listTotpCodes } from './dashboard/totp-codes.ts'
import { selectUserByEmail } from './dashboard/users.ts'
import { startEdge } from './edge.ts'
import { countJobs, waitUntilJobsSettled } from './node-jobs.ts'
import { startNodeProcess } from './node-process.ts'
import { findFreePort } from './ports.ts'
import {
  type Databases,
  moveDatabaseClock,
  openSuperuser,
  readDatabaseClock,
  type Superuser,
} from './postgres.ts'
import type { RunningService } from './running-service.ts'
import { type LocalServer, startLocalServer } from './server.ts'
import { createLocalSettings, createRoleUrls, jwtKeys, type LocalPlatform, secrets } from './settings.ts'
import { createNeon } from './vendors/neon.ts'
import { type Relay, startRelay } from './vendors/relay.ts'
import { startWorker } from './worker.ts'

export interface StackOptions {
  platform: LocalPlatform
  cluster: Databases
  database: string
  template?: string
  /** Port of the service. 0 uses any free port. */
  port: number
  /** Port of the local emulators. 0 uses any free port. */
  localPort: number
  /** URL of a real Redis. Without it, ioredis-mock is used. */
  redisUrl?: string | undefined
  /** Folder for uploads. By default a temporary one that is removed when the stack closes. */
  objectsDir?: string
  /** Requests per second that the mail provider allows, by default as many as Resend. */
  mailRequestsPerSecond?: number | undefined
  /** Settings that replace the local ones. A value of undefined removes a setting. */
  settings?: Record<string, string | undefined>
  onLog?: (line: string) => void
  /**
   * Whether faults of the service `postgres` can be set, true by default. They need a relay that copies each
   * byte.
   */
  databaseFaults?: boolean
  /** Whether the Worker has the hub of the escalation stream, true by default. */
  hub?: boolean
  /** Whether the Worker's answers are compressed as by Cloudflare, false by default. */
  edge?: boolean
  /** Port for Chrome DevTools; no inspector by default. */
  inspectorPort?: number | undefined
  /** Create the dashboard's demo escalation. */
  createEscalation?: (stack: Stack, input: unknown) => Promise<unknown>
  /** The users that the dashboard signs in with one click. */
  users?: readonly DemoUser[]
}

export interface Stack
  extends Pick<
    RunningService,
    'fetch' | 'services' | 'finishEffects' | 'runCron' | 'countSubscribers' | 'hibernateHub'
  > {
  /** Origin of the service, without a slash at the end. */
  api: string
  localServer: LocalServer
  settings: Record<string, string>
  /** Connection string of the database owner. */
  ownerUrl: string
  superuser: Superuser
  /** Count the round trips to the database so far; on Cloudflare only those over HTTP. */
  countRoundTrips(): number
  /** Write an event as the service does, publish its deliveries, and return their ids. */
  emitEvent(accountId: string, event: Event): Promise<string[]>
  close(): Promise<void>
}

/** Start the service on one platform, with local emulators of all vendors and one database of `cluster`. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { platform, cluster, database } = options
  const ownerUrl = await cluster.createDatabase(database, options.template)
  const relay = options.databaseFaults === false ? undefined : await startRelay(cluster.port)
  const databasePort = relay?.port ?? cluster.port
  const neon = createNeon(() => databasePort)
  const port = options.port || (await findFreePort())
  const api = `http://127.0.0.1:${port}`
  let roundTripCount = 0
  const superuser = openSuperuser(cluster.port, database)
  // With QStash no process runs the jobs in PostgreSQL, where an earlier run of the Node entry may have left
  // some.
  const readJobs = async <T>(read: (client: ClientBase) => Promise<T>) =>
    settings.QSTASH_TOKEN ? undefined : superuser.run(read)
  const localServer = await startLocalServer({
    // The rows of an earlier run have times of that clock.
    clock: createClock(await superuser.run(readDatabaseClock)),
    port: options.localPort,
    api,
    createReference: createAccountReferences(jwtKeys).sign,
    findAccountId: async (email) => (await selectUserByEmail(ownerUrl, email)).account_id,
    secrets,
    redisUrl: options.redisUrl,
    redisName: database,
    mailRequestsPerSecond: options.mailRequestsPerSecond,
    listTotpCodes: () => listTotpCodes(ownerUrl, settings),
    rawHandler: (request, response) => {
      if (request.url === '/sql') roundTripCount++
      return neon.handle(request, response)
    },
    finishEffects: async () => stack.finishEffects?.(),
    onUpgrade: (request, socket, head) => neon.upgrade(request, socket, head),
    moveClock: async (offsetMs) => {
      const settle = () => readJobs((client) => waitUntilJobsSettled(client, stack.finishEffects))
      // An attempt in flight would compute its delay from the new time.
      await settle()
      await superuser.run((client) => moveDatabaseClock(client, offsetMs))
      await settle()
      await stack.runCron()
      await settle()
    },
    users: options.users,
    countJobs: () => readJobs(countJobs),
    createEscalation: async (input) => {
      if (!options.createEscalation) throw new Error('The demo escalation is not available here')
      return options.createEscalation(stack, input)
    },
  })
  simulateDatabaseFaults(localServer, relay)
  const localSettings = createLocalSettings(platform, { api, localServer, database, databasePort })
  const settings = omitUndefined({ ...localSettings, ...options.settings })
  const { objectsDir } = options
  const onLog = (line: string) => {
    localServer.dashboard.logs.add(line)
    options.onLog?.(line)
  }
  const onRoundTrip = () => void roundTripCount++
  const images = new URL(`${localServer.origin}/images`)
  const platformDatabase = openPostgres({
    url: createRoleUrls(`127.0.0.1:${databasePort}`, database).DATABASE_PLATFORM_URL,
    maxConnections: 2,
  })
  const workerPort = options.edge ? await findFreePort() : port
  const edge = options.edge && platform === 'cloudflare' ? await startEdge({ port, workerPort }) : undefined
  const { hub, inspectorPort } = options
  const running: RunningService = await (platform === 'node'
    ? startNodeProcess({ settings, objectsDir, onLog, onRoundTrip })
    : startWorker({ port: workerPort, settings, images, dataDir: objectsDir, hub, inspectorPort, onLog }))
  const { QSTASH_URL = '', QSTASH_TOKEN = '' } = settings
  const queue =
    running.services?.ports.queue ?? qstashQueue({ url: QSTASH_URL, token: QSTASH_TOKEN, target: api })
  const stack: Stack = {
    api,
    localServer,
    settings,
    ownerUrl,
    superuser,
    countRoundTrips: () => roundTripCount,
    emitEvent: (accountId, event) => emitEvent(platformDatabase, queue, accountId, event),
    ...running,
    async close() {
      await edge?.close()
      await Promise.all([running.dispose(), platformDatabase.close(), superuser.close()])
      await Promise.all([localServer.close(), neon.close().catch(() => {})])
      await relay?.close()
    },
  }
  return stack
}

/**
 * Make the relay follow the faults of the service `postgres`. Every mode except `hang` and `slow` closes the
 * connections.
 */
function simulateDatabaseFaults({ faults }: LocalServer, relay: Relay | undefined): void {
  faults.onChange(() => {
    const fault = faults.peek('postgres')
    if (fault && !relay) throw new Error('This stack was started without databaseFaults')
    if (!fault) relay?.setMode('open')
    else if (fault.mode === 'hang' || fault.mode === 'slow') relay?.setMode(fault.mode, fault.delay_ms)
    else relay?.setMode('down')
  })
}

function omitUndefined(settings: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
