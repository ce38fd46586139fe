import { Hono } from 'hono'
import * as z from 'zod'
import { type Clock, toTimestamp } from '#local/clock.ts'

const clients = [
  { id: 1, name: 'Northwind' },
  { id: 2, name: 'Contoso & Sons' },
]
const day = 86_400_000

const NewScript = z.object({
  name: z.string().max(255),
  description: z.string(),
  category: z.string().max(100),
  script_body: z.string(),
  shell: z.enum(['powershell', 'cmd', 'python', 'shell', 'nushell', 'deno']),
  hidden: z.boolean(),
})
// Each of them is read without a default, so a request without one is a 500.
const RunRequest = z.object({
  script: z.int(),
  output: z.string(),
  args: z.array(z.string()),
  env_vars: z.array(z.string()),
  run_as_user: z.boolean(),
  timeout: z.int(),
})

/** Fill the snippets, of which there is one. */
const fillSnippets = (text: string) => text.replace(/\{\{\s*cleanup\s*\}\}/g, 'Remove-Item C:\\ -Recurse')

/** Read what a script would do: `exit 3`, `sleep 90`, and the quoted texts that it prints. */
function runLocally(text: string, hostname: string) {
  const printed = [...text.matchAll(/(?:Write-Output|echo|print\()\s*'([^']*)'/g)].map(([, line]) => line)
  return {
    exitCode: Number(/\bexit (-?\d+)/.exec(text)?.[1] ?? 0),
    seconds: Number(/(?:Start-Sleep(?: -Seconds)?|sleep) (\d+)/.exec(text)?.[1] ?? 1),
    stdout: [`On ${hostname}`, ...printed].join('\n'),
    // The machine falls asleep during the script, and reports its end when it wakes up.
    asleepMs: Number(/# wakes up after (\d+)/.exec(text)?.[1] ?? 0) * 1000,
  }
}

/**
 * The agents: 40 letters each, as the agent makes its id. The third is off; before the fourth is a proxy that
 * loses answers.
 */
const agents: {
  id: string
  hostname: string
  client: number
  site: string
  plat: string
  isOnline: boolean
  isCut?: true
}[] = [
  {
    id: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC',
    hostname: 'SRV-PRINT-01',
    client: 1,
    site: 'Berlin',
    plat: 'windows',
    isOnline: true,
  },
  {
    id: 'kLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsTuVwX',
    hostname: 'web-02',
    client: 2,
    site: 'Main',
    plat: 'linux',
    isOnline: true,
  },
  {
    id: 'zYxWvUtSrQpOnMlKjIhGfEdCbAzYxWvUtSrQpOnM',
    hostname: 'LAPTOP-17',
    client: 1,
    site: 'Home office',
    plat: 'windows',
    isOnline: false,
  },
  {
    id: 'cUtAnSwErCuTaNsWeRcUtAnSwErCuTaNsWeRcUtA',
    hostname: 'SRV-FILE-03',
    client: 2,
    site: 'Main',
    plat: 'windows',
    isOnline: true,
    isCut: true,
  },
]

/**
 * Create the part of Tactical RMM that the service uses. A wrong key is 401. An id of fewer than 21
 * characters is no path, so 404.
 * https://github.com/amidaware/tacticalrmm, folder api/tacticalrmm: tacticalrmm/auth.py, urls.py; agents/views.py; clients/views.py.
 */
export function createTacticalRmmRoutes(clock: Clock): Hono {
  const app = new Hono()
  const scripts = new Map<number, z.output<typeof NewScript>>()
  const history: ReturnType<typeof createRun>[] = []
  let lastScriptId = 100
  app.use('*', async (c, next) => {
    if (c.req.header('x-api-key') !== 'demo') return c.json({ detail: 'Invalid token.' }, 401)
    return next()
  })
  app.get('/clients/', (c) =>
    c.json(clients.map((client) => ({ ...client, sites: [], agent_count: 1, maintenance_mode: false }))),
  )
  app.get('/agents/', (c) => {
    const client = c.req.query('client')
    return c.json(
      agents.filter((agent) => client === undefined || String(agent.client) === client).map(toListed),
    )
  })
  // IDs of fewer characters are no path of an agent.
  const findAgent = (id: string) => agents.find((agent) => agent.id === id)
  app.get('/agents/scripthistory/', (c) => {
    const [name, limit] = [c.req.query('scriptname'), Number(c.req.query('limit') ?? history.length)]
    // The name is that of the script now; a deleted one has none.
    const named = history
      .filter((run) => name === undefined || scripts.get(run.script)?.name === name)
      .toReversed()
    return c.json(
      named
        .slice(0, limit)
        .map((run) => ({ ...run, script_results: clock.now() >= run.endsAt ? run.script_results : null })),
    )
  })
  app.get('/agents/:id/ping/', (c) => {
    const agent = findAgent(c.req.param('id'))
    return agent
      ? c.json({ name: agent.hostname, status: agent.isOnline ? 'online' : 'offline' })
      : c.json({ detail: 'Not found.' }, 404)
  })
  app.get('/agents/:id/', (c) => {
    const agent = findAgent(c.req.param('id'))
    return agent ? c.json(toDetailed(agent)) : c.json({ detail: 'Not found.' }, 404)
  })
  app.post('/agents/:id/runscript/', async (c) => {
    const agent = findAgent(c.req.param('id'))
    const { script: id, output, timeout, args, env_vars, run_as_user } = RunRequest.parse(await c.req.json())
    const script = scripts.get(id)
    if (!agent || !script || args.length + env_vars.length > 0 || run_as_user)
      return c.json({ detail: 'Not found.' }, 404)
    if (output !== 'forget') return c.json('Only the mode forget is emulated', 400)
    history.push(
      createRun(history.length + 1, agent, { id, text: fillSnippets(script.script_body) }, timeout),
    )
    if (agent.isCut) return c.text('Gateway Time-out', 504)
    return c.json(`${script.name} will now be run on ${agent.hostname}`)
  })
  app.get('/scripts/', (c) =>
    c.json([...scripts].map(([id, { name, shell, hidden }]) => ({ id, name, shell, hidden }))),
  )
  app.post('/scripts/', async (c) => {
    const script = NewScript.parse(await c.req.json())
    scripts.set(++lastScriptId, script)
    return c.json(`${script.name} was added!`)
  })
  app.get('/scripts/:id/', (c) => {
    const id = Number(c.req.param('id'))
    const script = scripts.get(id)
    return script ? c.json({ id, ...script }) : c.json({ detail: 'Not found.' }, 404)
  })
  app.delete('/scripts/:id/', (c) => {
    const id = Number(c.req.param('id'))
    const name = scripts.get(id)?.name
    return scripts.delete(id) ? c.json(`${name} was deleted!`) : c.json({ detail: 'Not found.' }, 404)
  })
  /** The message for a machine that is off is lost, so its run never ends. */
  const createRun = (
    id: number,
    agent: (typeof agents)[number],
    script: { id: number; text: string },
    timeout: number,
  ) => {
    const { exitCode, seconds, stdout, asleepMs } = runLocally(script.text, agent.hostname)
    const isLate = seconds > timeout
    const results = isLate
      ? { stdout: '', stderr: 'Script timed out', retcode: 98 }
      : { stdout, stderr: exitCode ? 'Failed' : '', retcode: exitCode }
    return {
      id,
      time: toTimestamp(clock.now()),
      agent_id: agent.id,
      script: script.id,
      script_results: { ...results, execution_time: Math.min(seconds, timeout) },
      endsAt: agent.isOnline
        ? clock.now() + Math.min(seconds, timeout) * 1000 + asleepMs
        : Number.POSITIVE_INFINITY,
    }
  }
  const findClientName = (client: number) => clients.find((each) => each.id === client)?.name
  const toDetailed = ({ id, hostname, client, site, plat, isOnline }: (typeof agents)[number]) => ({
    agent_id: id,
    hostname,
    client: findClientName(client),
    site_name: site,
    plat,
    status: isOnline ? 'online' : 'overdue',
  })
  const toListed = ({ id, hostname, client, site, plat, isOnline }: (typeof agents)[number]) => ({
    agent_id: id,
    hostname,
    client_name: findClientName(client),
    site_name: site,
    plat,
    status: isOnline ? 'online' : 'overdue',
    last_seen: toTimestamp(clock.now() - (isOnline ? 0 : day)),
    monitoring_type: plat === 'linux' ? 'server' : 'workstation',
    needs_reboot: false,
  })
  return app
}
