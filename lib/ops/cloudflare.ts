import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { settings as commonSettings } from '#config.ts'
import {
  type CloudflareConfig,
  cloudflareSettings,
  parseCloudflareConfig,
} from '#platform/cloudflare/settings.ts'
import { createBoundedFetch } from '#vendors/net/bounded-fetch.ts'
import type { Finding } from './checks.ts'
import { checkConnections } from './connections.ts'
import { find } from './find.ts'
import { settingsFileOf } from './settings-file.ts'

type Settings = Record<string, string | undefined>

const timeoutMs = 10_000
const fetchBounded = createBoundedFetch('link', { timeoutMs, maxBytes: 1024 * 1024 })

// Names of events: https://docs.stripe.com/api/events/types and
// https://resend.com/docs/dashboard/webhooks/event-types
const stripeEvents = [
  'checkout.session.completed',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
]
const mailEvents = ['email.bounced', 'email.complained', 'email.suppressed']

/** What a check needs: the settings, and the names of the Worker's secrets, as wrangler lists them. */
interface Deployment {
  /** The environment of wrangler.toml; empty for its top. */
  environment: string
  settings: Settings
  listSecrets(): Promise<string[]>
}

/**
 * Check a deployment from outside, with the settings that were uploaded: the Worker's secrets, its bindings
 * and vendors, the roles of the database, and the webhooks of the vendors. It changes nothing, and no problem
 * contains a secret.
 */
export async function diagnoseDeployment(deployment: Deployment): Promise<Finding[]> {
  const { environment, settings, listSecrets } = deployment
  const file = settingsFileOf(environment)
  const { STRIPE_SECRET_KEY, RESEND_API_KEY } = settings
  const { config, finding } = parseDeployed(settings, file)
  const { DATABASE_URL, DATABASE_PLATFORM_URL } = settings
  // With examples in place of addresses, each other check would only say that it failed.
  if (!config) return [finding]
  const connections = await checkConnections({ DATABASE_URL, DATABASE_PLATFORM_URL }, config)
  const others = await Promise.all([
    find(
      'the file has known names and addresses of yours',
      `Correct it in ${file}, and upload it.`,
      async () => findSlips(settings),
    ),
    find(
      'every setting of the file is a secret of the Worker',
      `npx wrangler login && npx wrangler secret bulk --env="${environment}" ${file}`,
      () => checkSecrets(settings, listSecrets),
    ),
    find(
      'the Worker and what it is bound to answer',
      'Look at the bindings in wrangler.toml and at `npx wrangler tail`.',
      () => checkReady(settings),
    ),
    find('the signing keys are those of QStash', "Copy both keys from QStash's console.", () =>
      checkSigningKeys(settings),
    ),
    ...(RESEND_API_KEY
      ? [
          find(
            'Resend calls the webhook of mails',
            'Add it as step 6 says.',
            () => checkMailWebhook(settings),
            {
              isWarning: true,
            },
          ),
        ]
      : []),
    ...(STRIPE_SECRET_KEY
      ? [
          find('Stripe calls the webhook of payments', 'Add it as step 9 says.', () =>
            checkStripeWebhook(settings),
          ),
        ]
      : []),
  ])
  return [finding, ...connections, ...others]
}

/** Parse the settings as the Worker does. */
function parseDeployed(
  settings: Settings,
  file: string,
): { config: CloudflareConfig | null; finding: Finding } {
  const finding = {
    name: 'every setting is valid',
    remedy: `Correct it in ${file}, and upload it.`,
    isWarning: false,
  }
  try {
    return { config: parseCloudflareConfig(settings), finding: { ...finding, problems: [] } }
  } catch (error) {
    return { config: null, finding: { ...finding, problems: [(error as Error).message] } }
  }
}

/** Return what the Worker accepts although nobody means it: misspelt names, and addresses that nobody reaches safely. */
function findSlips(settings: Settings): string[] {
  const unknown = Object.keys(settings)
    .filter((name) => !(name in commonSettings || name in cloudflareSettings))
    .map((name) => `${name} is no setting: correct its name, or remove its line`)
  const addresses = ['PUBLIC_BASE_URL', 'FRONTEND_URL'].flatMap((name) => {
    const { protocol, hostname, pathname } = new URL(settings[name] ?? '')
    if (/\bexample\.com$/.test(hostname)) return [`${name} is still the example`]
    if (pathname.endsWith('/api/v1')) return [`${name} must not end with /api/v1`]
    const isLocal = /^(?:localhost|127\.0\.0\.1)$/.test(hostname)
    return protocol === 'https:' || isLocal ? [] : [`${name} must begin with https://`]
  })
  return [...unknown, ...addresses]
}

async function checkSecrets(settings: Settings, listSecrets: () => Promise<string[]>): Promise<string[]> {
  const known = new Set(await listSecrets())
  return Object.entries(settings).flatMap(([name, value]) =>
    value && !known.has(name) ? [`${name} is missing`] : [],
  )
}

/**
 * List the secrets of the Worker of an environment of wrangler.toml:
 * https://developers.cloudflare.com/workers/wrangler/commands/#secret-list
 */
export async function listWorkerSecrets(environment: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('npx', [
    'wrangler',
    'secret',
    'list',
    `--env=${environment}`,
    '--format=json',
  ])
  return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
}

/** The bindings of wrangler.toml, as `/ready` names them, and the vendors. */
const requiredChecks = ['database', 'redis', 'queue', 'hub', 'objects', 'images']

async function checkReady({ PUBLIC_BASE_URL, READY_TOKEN = '' }: Settings): Promise<string[]> {
  const { status, body } = await readJson(`${PUBLIC_BASE_URL}/ready`, READY_TOKEN, [200, 503])
  const { checks, warnings = [] } = body as { checks?: Record<string, string>; warnings?: string[] }
  if (!checks) return [`/ready answered ${status} and no details: READY_TOKEN is not that of the Worker`]
  const missingChecks = requiredChecks
    .filter((name) => checks[name] === undefined)
    .map((name) => `${name} is not checked`)
  const failing = Object.entries(checks).flatMap(([name, state]) =>
    state === 'ok' ? [] : [`${name}: ${state}`],
  )
  return [...missingChecks, ...failing, ...warnings]
}

// https://upstash.com/docs/qstash/api-reference/signing-keys/get-signing-keys
async function checkSigningKeys(settings: Settings): Promise<string[]> {
  const { QSTASH_URL = 'https://qstash.upstash.io', QSTASH_TOKEN = '' } = settings
  const { body } = await readJson(`${QSTASH_URL}/v2/keys`, QSTASH_TOKEN)
  const keys = body as { current?: string; next?: string }
  return [
    ...(keys.current === settings.QSTASH_CURRENT_SIGNING_KEY
      ? []
      : ['QSTASH_CURRENT_SIGNING_KEY is another one']),
    ...(keys.next === settings.QSTASH_NEXT_SIGNING_KEY ? [] : ['QSTASH_NEXT_SIGNING_KEY is another one']),
  ]
}

// https://resend.com/docs/api-reference/webhooks/list-webhooks. A key that may only send is answered 401 `restricted_api_key`.
async function checkMailWebhook(settings: Settings): Promise<string[]> {
  const { RESEND_BASE_URL = 'https://api.resend.com', RESEND_API_KEY = '' } = settings
  const { status, body } = await readJson(`${RESEND_BASE_URL}/webhooks`, RESEND_API_KEY, [200, 401])
  if (status === 401) return ['the key may only send mails, so look at the webhooks in the console']
  const { data = [] } = body as { data?: { endpoint: string; status: string; events: string[] | null }[] }
  const hooks = data.map(({ endpoint, status, events }) => ({
    url: endpoint,
    isEnabled: status === 'enabled',
    events: events ?? [],
  }))
  return describeWebhook(hooks, `${settings.PUBLIC_BASE_URL}/api/v1/notifications/mail-webhook`, mailEvents)
}

// https://docs.stripe.com/api/webhook_endpoints/list. A restricted key without this right is answered 403.
async function checkStripeWebhook(settings: Settings): Promise<string[]> {
  const { STRIPE_BASE_URL = 'https://api.stripe.com', STRIPE_SECRET_KEY = '' } = settings
  const { status, body } = await readJson(
    `${STRIPE_BASE_URL}/v1/webhook_endpoints?limit=100`,
    STRIPE_SECRET_KEY,
    [200, 403],
  )
  if (status === 403)
    return ['the key may not read webhooks, so look at them in the console, or give it this right']
  const { data = [] } = body as { data?: { url: string; status: string; enabled_events: string[] }[] }
  const hooks = data.map(({ url, status, enabled_events }) => ({
    url,
    isEnabled: status === 'enabled',
    events: enabled_events,
  }))
  return describeWebhook(hooks, `${settings.PUBLIC_BASE_URL}/api/v1/billing/webhook`, stripeEvents)
}

interface Webhook {
  url: string
  isEnabled: boolean
  events: string[]
}

function describeWebhook(hooks: Webhook[], url: string, events: readonly string[]): string[] {
  const hook = hooks.find((candidate) => candidate.url === url)
  if (!hook) return [`there is none for ${url}`]
  const missing = hook.events.includes('*') ? [] : events.filter((event) => !hook.events.includes(event))
  return [
    ...(hook.isEnabled ? [] : ['it is switched off']),
    ...missing.map((event) => `it lacks the event ${event}`),
  ]
}

async function readJson(
  url: string,
  token: string,
  allowed: readonly number[] = [200],
): Promise<{ status: number; body: unknown }> {
  const response = await fetchBounded(url, { headers: { authorization: `Bearer ${token}` } })
  if (!allowed.includes(response.status)) throw new Error(`${new URL(url).host} answered ${response.status}`)
  return { status: response.status, body: await response.json() }
}

/** Read the settings that were uploaded to an environment. */
export async function readDeployedSettings(folder: string, environment: string): Promise<Settings> {
  const file = settingsFileOf(environment)
  const text = await readFile(join(folder, file), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new Error(`There is no ${file} here, the file with the settings that were uploaded.`)
  return parseEnv(text)
}
