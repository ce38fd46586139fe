import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#local/root.ts'
import { build, buildAssets, docsFolder } from './build/build.ts'
import { writeDemoUsers } from './build/docs-page.ts'
import { createDemoEscalation, demoSignIns, seedDemo } from './demo.ts'
import { seedDemoGateway } from './demo-gateway.ts'
import { requireFreePort } from './ports.ts'
import { type Cluster, removeDataFolder, startPostgres } from './postgres.ts'
import { recordProcesses, stopOrphans, watchParent } from './processes.ts'
import { type Sample, startSample } from './sample.ts'
import type { LocalPlatform } from './settings.ts'
import { type Stack, startStack } from './stack.ts'
import { describeStartError } from './start-error.ts'
import { runWatched } from './watch.ts'

const database = 'support_flow'
const dataFolder = join(root, '.data')
const dataDir = join(dataFolder, 'postgres')
const objectsDir = join(dataFolder, 'objects')
const processesFile = join(dataFolder, 'processes.json')
const startedAt = performance.now()
const platform: LocalPlatform = process.argv.includes('--node') ? 'node' : 'cloudflare'

// Chrome DevTools looks here by default.
const inspectorPort = 9229

function printProgress(text: string): void {
  console.log(`  ${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

function readPort(name: string, defaultPort: number): number {
  const text = process.env[name]
  const port = text === undefined ? defaultPort : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${name} must be a port number, not ${text}.`)
  return port
}

async function start(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void shutDown(0))
  const port = readPort('PORT', 8787)
  const localPort = readPort('LOCAL_PORT', port + 1)
  const samplePort = readPort('SAMPLE_PORT', localPort + 1)
  await mkdir(dataFolder, { recursive: true })
  await stopOrphans(processesFile, dataDir)
  await recordProcesses(processesFile)
  await requireFreePort(port, 'PORT')
  await requireFreePort(localPort, 'LOCAL_PORT')
  await requireFreePort(samplePort, 'SAMPLE_PORT')
  if (process.argv.includes('--fresh'))
    await Promise.all([removeDataFolder(dataDir), rm(objectsDir, { recursive: true, force: true })])
  const built = platform === 'node' ? 'the static files' : 'the Worker'
  printProgress(`Starting PostgreSQL and building ${built}`)
  const building = platform === 'node' ? buildAssets() : build()
  // A failed build is reported below, once PostgreSQL can be stopped.
  building.catch(() => {})
  const cluster = await startPostgres(dataDir, { durable: true })
  setStopAll({ cluster })
  await recordProcesses(processesFile)
  printProgress('PostgreSQL runs, migrating the database')
  await cluster.createDatabase(database)
  printProgress(`The database is migrated, finishing ${built}`)
  await building
  printProgress('Starting the service and the local emulators')
  const options = {
    platform,
    cluster,
    database,
    port,
    localPort,
    objectsDir,
    redisUrl: process.env.REDIS_URL,
    settings: { ...realModelSettings(), ...(platform === 'node' ? nodeSettings() : {}) },
    inspectorPort: process.argv.includes('--inspect') ? inspectorPort : undefined,
  }
  const stack = await startStack({
    ...options,
    onLog: (line) => process.env.LOG && console.log(line),
    createEscalation: createDemoEscalation,
    users: demoSignIns,
    edge: true,
  })
  await recordProcesses(processesFile)
  setStopAll({ cluster, stack })
  printProgress('The service answers, looking for the demo accounts')
  await seedDemo(stack)
  await seedDemoGateway(stack, demoSignIns[0]?.email ?? '')
  await writeDemoUsers(docsFolder, demoSignIns)
  const sample = await startSample({ port: samplePort, api: stack.api, people: demoSignIns })
  setStopAll({ cluster, stack, sample })
  if (platform === 'cloudflare') {
    await createQueueSchedules(stack)
    // Miniflare fires no cron trigger. On Node the service has its own.
    const cron = setInterval(() => void stack.runCron().catch(() => {}), 60_000)
    setStopAll({ cluster, stack, sample, cron })
  }
  printProgress('Everything runs')
  console.log(welcomeText(stack, sample))
  if (process.argv.includes('--inspect'))
    console.log(
      `  Debugger     open chrome://inspect, configure 127.0.0.1:${inspectorPort} and inspect core:user:service\n`,
    )
}

/**
 * Return the settings of the real models if the environment has an API key. Otherwise the local model is
 * used.
 */
function realModelSettings(): Record<string, string | undefined> {
  if (!process.env.OPENAI_API_KEY) return {}
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(?:OPENAI_(?:API_KEY|BASE_URL|MODEL)|AI_(?:FALLBACK|EMBEDDING)_)/.test(name),
    ),
  )
}

/**
 * Return the settings of Node without any vendor of the platform: jobs in PostgreSQL, and Redis only if the
 * environment names one.
 */
function nodeSettings(): Record<string, string | undefined> {
  const noQstash = {
    QSTASH_TOKEN: undefined,
    QSTASH_CURRENT_SIGNING_KEY: undefined,
    QSTASH_NEXT_SIGNING_KEY: undefined,
  }
  return { ...noQstash, REDIS_URL: process.env.REDIS_URL }
}

/** Create the queue's schedules, which run in addition to the Worker's cron, as in production. */
async function createQueueSchedules({ api, settings }: Stack): Promise<void> {
  for (const [id, path] of [
    ['sweep', '/jobs/notifications/sweep'],
    ['maintenance', '/jobs/maintenance/tick'],
    ['cleanup', '/jobs/cleanup'],
  ])
    await fetch(`${settings.QSTASH_URL}/v2/schedules/${api}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${settings.QSTASH_TOKEN}`,
        'upstash-cron': '* * * * *',
        'upstash-schedule-id': `${id}`,
        'upstash-retries': '0',
      },
    })
}

function welcomeText({ api, localServer }: Stack, sample: Sample): string {
  const [first] = demoSignIns
  const signIns = demoSignIns
    .map(({ email, description }) => `    ${email.padEnd(28)}${description}`)
    .join('\n')
  return `
  API          ${api}/api/v1
  Reference    ${api}/docs/
  Sample       ${sample.origin}/        a small front end, in test/sample
  Dashboard    ${localServer.origin}/        e-mails, chat messages, queue, faults, clock
  Sign in      ${localServer.origin}/sign-in with a local Google or Microsoft, without a password

  Demo users, each with the password ${first?.password}:
${signIns}

  Try:
    TOKEN=$(curl -s ${api}/api/v1/auth/login -H 'content-type: application/json' \\
      -d '{"email":"${first?.email}","password":"${first?.password}"}' | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)
    curl -s ${api}/api/v1/notifications/configs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
      -d '{"channel":"chat1_webhook","webhook_url":"${localServer.origin}/chat/1/oncall","events_enabled":["session.escalated"]}'
    curl -s -X POST ${localServer.origin}/desk/demo/escalation -H 'content-type: application/json' -d '{}'
    curl -s ${api}/api/v1/notifications -H "authorization: Bearer $TOKEN"

  Ctrl-C stops everything. \`npm start -- --fresh\` starts with an empty database, \`--node\` with the Node
  entry instead of the Worker, \`--watch\` again whenever a file changes. LOG=1 prints the request log.`
}

let stopAll: (() => Promise<void>) | undefined

/** Set what `shutDown` stops. It is called again after each step of the start. */
function setStopAll({
  cluster,
  stack,
  sample,
  cron,
}: {
  cluster: Cluster
  stack?: Stack
  sample?: Sample
  cron?: NodeJS.Timeout
}): void {
  stopAll = async () => {
    clearInterval(cron)
    await Promise.allSettled([stack?.close(), sample?.close()])
    await cluster.stop()
  }
}

let isShuttingDown = false
async function shutDown(code: number): Promise<void> {
  if (isShuttingDown) return
  isShuttingDown = true
  await stopAll?.()
  process.exit(code)
}

const run = async () => {
  await watchParent(() => process.kill(process.pid, 'SIGTERM'))
  const args = process.argv.slice(2).filter((arg) => arg !== '--watch')
  if (process.argv.includes('--watch')) process.exit(await runWatched(import.meta.filename, args))
  await start()
}
run().catch(async (error: unknown) => {
  // A start that is stopped halfway fails by what it lost.
  if (!isShuttingDown) console.error(`\n  ${describeStartError(error)}`)
  await shutDown(1)
})
