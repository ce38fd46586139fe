import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { root } from '#local/root.ts'
import { listen } from '#platform/node/server.ts'
import { createKey } from '#test/support/api-keys.ts'
import { startOwnService } from '#test/support/app.ts'
import { createEmptyDatabase } from '#test/support/migrations.ts'
import { createAccount } from '#test/support/people.ts'

const folder = mkdtempSync(join(tmpdir(), 'flow-runner-'))
const service = await startOwnService()
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

interface Step {
  name?: string
  if?: string
  run?: string
  env?: Record<string, string>
}

/** Read the commands of a workflow's jobs, in their order. */
function readSteps(name: string): Step[] {
  const { jobs } = parse(readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8')) as {
    jobs: Record<string, { steps: Step[] }>
  }
  return Object.values(jobs).flatMap(({ steps }) => steps.filter(({ run }) => run))
}

/** Replace the expressions of a workflow by their values. */
const evaluate = (template: string, values: Record<string, string>) =>
  template.replace(
    /\$\{\{ (?:secrets|vars)\.(\w+)(?: \|\| '[^']*')? \}\}/g,
    (_, name: string) => values[name] ?? '',
  )

/** Run a step in a shell that has nothing but its own variables. Return its output. */
async function runStep({ run = '', env = {} }: Step, values: Record<string, string>): Promise<string> {
  const variables = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, evaluate(value, values)]),
  )
  // The same Node as setup-node would install, and no packages but the clone's.
  const path = [
    dirname(process.execPath),
    ...(process.env.PATH ?? '').split(':').filter((entry) => !entry.includes('node_modules')),
  ].join(':')
  // How this machine reaches the registry.
  const { HOME, NODE_EXTRA_CA_CERTS } = process.env
  const github = { GITHUB_RUN_ID: '4711', GITHUB_RUN_ATTEMPT: '1', GITHUB_SHA: 'abc' }
  const own = {
    ...github,
    PATH: path,
    HOME,
    NODE_EXTRA_CA_CERTS,
    TARGET: 'staging',
    CI: 'true',
    ...variables,
  }
  // Not `execFileSync`: the service under test answers in this process.
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', run], {
    cwd: join(folder, 'clone'),
    env: own,
    maxBuffer: 1e8,
  })
  return stdout
}

it('each command of the deployment runs in a fresh clone, which has no packages', async () => {
  execFileSync('git', ['clone', '--quiet', root, join(folder, 'clone')])
  const account = await createAccount(service)
  const { key } = await createKey(service, account, { scopes: ['flows:write'] })
  const values = {
    DATABASE_OWNER_URL: await createEmptyDatabase(),
    PUBLIC_BASE_URL: service.api,
    READY_TOKEN: service.settings.READY_TOKEN ?? '',
    SMOKE_API_KEY: key,
  }
  const restorePoints: string[] = []
  const neon = createServer(async (request, response) => {
    restorePoints.push(
      `${request.method} ${request.url} ${request.headers.authorization} ${await text(request)}`,
    )
    response.writeHead(201).end('{}')
  })
  Object.assign(values, {
    NEON_API: `http://127.0.0.1:${await listen(neon, 0, '127.0.0.1')}`,
    NEON_PROJECT_ID: 'flow',
    NEON_API_KEY: 'key',
  })
  onTestFinished(() => void neon.close())
  const outputs: string[] = []
  for (const step of readSteps('deploy')) {
    // Without an account at Cloudflare, everything but the upload.
    const run = step.run
      ?.replace('wrangler deploy', 'wrangler deploy --dry-run --outdir dist/dry-run')
      .replace('wrangler rollback', 'wrangler rollback --help')
    outputs.push(await runStep({ ...step, run: run ?? '' }, values))
  }
  expect(outputs.join('\n')).toContain('The service answers as expected.')
  expect(outputs.join('\n')).toContain('Applied 0001_tenancy.sql')
  expect(restorePoints).toEqual([
    'POST /projects/flow/branches Bearer key {"branch": {"name": "before-staging-4711-1"}}',
  ])
})

it('the deployment makes a restore point before it migrates, and withdraws the Worker when it does not answer as expected', () => {
  const steps = readSteps('deploy')
  const find = (command: string) => steps.findIndex(({ run }) => run?.includes(command))
  const order = [
    find('/branches'),
    steps.findIndex(({ run }) => run === 'npm run migrate'),
    ...['wrangler deploy', 'npm run tour', 'wrangler rollback'].map(find),
  ]
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  expect(order).not.toContain(-1)
  expect(steps[order.at(-1) ?? 0]?.if).toBe("failure() && steps.deploy.outcome == 'success'")
})
