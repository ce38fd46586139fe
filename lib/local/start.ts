import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from './build.ts'
import { demoEscalation, demoSignIns, seedDemo } from './demo.ts'
import { requirePort } from './ports.ts'
import { type Cluster, removeData, startPostgres } from './postgres.ts'
import { type Stack, startStack } from './stack.ts'

const dataDir = join(import.meta.dirname, '../../.data/postgres')
const objectsDir = join(import.meta.dirname, '../../.data/objects')
const started = performance.now()

function progress(text: string): void {
  console.log(`  ${((performance.now() - started) / 1000).toFixed(1).padStart(5)} s  ${text}`)
}

function portFrom(name: string, otherwise: number): number {
  const text = process.env[name]
  const port = text === undefined ? otherwise : Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${name} must be a port number, not ${text}.`)
  return port
}

async function start(): Promise<void> {
  const port = portFrom('PORT', 8787)
  const localPort = portFrom('LOCAL_PORT', port + 1)
  await requirePort(port, 'PORT')
  await requirePort(localPort, 'LOCAL_PORT')
  if (process.argv.includes('--fresh')) await Promise.all([removeData(dataDir), rm(objectsDir, { recursive: true, force: true })])
  progress('Building the Worker and starting PostgreSQL')
  const [cluster] = await Promise.all([startPostgres(dataDir, { durable: true }), build()])
  endWith(cluster, null, null)
  progress('Migrating, and starting the Worker beside the stand-ins of its vendors')
  const options = { cluster, database: 'support_flow', port, localPort, objectsDir, redisUrl: process.env.REDIS_URL, settings: realModel() }
  const stack = await startStack({ ...options, onLog: (line) => process.env.LOG && console.log(line), escalate: demoEscalation })
  endWith(cluster, stack, null)
  progress('Seeding two demo accounts')
  await seedDemo(stack)
  await scheduleReminders(stack)
  const cron = setInterval(() => void stack.tick().catch(() => {}), 60_000)
  endWith(cluster, stack, cron)
  console.log(welcome(stack))
}

/** With a key in the environment the real model answers, else the one made of rules. */
function realModel(): Record<string, string | undefined> {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } = process.env
  return OPENAI_API_KEY ? { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL } : {}
}

/** The queue's own reminders beside the Worker's cron, as in production. */
async function scheduleReminders({ api, settings }: Stack): Promise<void> {
  for (const [id, path] of [
    ['sweep', '/jobs/notifications/sweep'],
    ['maintenance', '/jobs/maintenance/tick'],
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

function welcome({ api, local }: Stack): string {
  const [first] = demoSignIns
  const people = demoSignIns.map(({ email, what }) => `    ${email.padEnd(28)}${what}`).join('\n')
  return `
  API          ${api}/api/v1
  Reference    ${api}/docs/
  Local desk   ${local.origin}/        mails, chat messages, queue, faults, clock
  Sign in      ${local.origin}/sign-in through a local Google or Microsoft, where you say who you are

  Sign-ins, password ${first?.password} for each:
${people}

  Try:
    TOKEN=$(curl -s ${api}/api/v1/auth/login -H 'content-type: application/json' \\
      -d '{"email":"${first?.email}","password":"${first?.password}"}' | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)
    curl -s ${api}/api/v1/notifications/configs -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
      -d '{"channel":"chat1_webhook","webhook_url":"${local.origin}/chat/1/oncall","events_enabled":["session.escalated"]}'
    curl -s -X POST ${local.origin}/desk/demo/escalation -H 'content-type: application/json' -d '{}'
    curl -s ${api}/api/v1/notifications -H "authorization: Bearer $TOKEN"

  Ctrl-C ends everything. \`npm start -- --fresh\` begins anew; LOG=1 shows the request log.`
}

let end: (() => Promise<void>) | undefined

function endWith(cluster: Cluster, stack: Stack | null, cron: NodeJS.Timeout | null): void {
  end = async () => {
    if (cron) clearInterval(cron)
    await stack?.close().catch(() => {})
    await cluster.stop()
  }
}

let ending = false
async function leave(code: number): Promise<void> {
  if (ending) return
  ending = true
  await end?.()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(0))

start().catch(async (error: unknown) => {
  console.error(`\n  ${error instanceof Error ? error.message : String(error)}`)
  await leave(1)
})
