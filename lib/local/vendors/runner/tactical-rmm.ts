import { Hono } from 'hono'
import { type Clock, toTimestamp } from '#local/clock.ts'

const clients = [
  { id: 1, name: 'Northwind' },
  { id: 2, name: 'Contoso & Sons' },
]
const day = 86_400_000

/** The agents: 40 letters each, as the agent makes its id. The third is off. */
const agents = [
  { id: 'hYqWbTzKpLxRnVcMdFgJsAoEuIiQwZtBkDyNvXrC', hostname: 'SRV-PRINT-01', client: 1, site: 'Berlin', plat: 'windows', isOnline: true },
  { id: 'kLmNoPqRsTuVwXyZaBcDeFgHiJkLmNoPqRsTuVwX', hostname: 'web-02', client: 2, site: 'Main', plat: 'linux', isOnline: true },
  {
    id: 'zYxWvUtSrQpOnMlKjIhGfEdCbAzYxWvUtSrQpOnM',
    hostname: 'LAPTOP-17',
    client: 1,
    site: 'Home office',
    plat: 'windows',
    isOnline: false,
  },
]

/**
 * Create the part of Tactical RMM that the service uses. A wrong key is 401. An id of fewer than 21 characters is no path, so 404.
 * https://github.com/amidaware/tacticalrmm, folder api/tacticalrmm: tacticalrmm/auth.py, urls.py; agents/views.py; clients/views.py.
 */
export function createTacticalRmmRoutes(clock: Clock): Hono {
  const app = new Hono()
  app.use('*', async (c, next) => {
    if (c.req.header('x-api-key') !== 'demo') return c.json({ detail: 'Invalid token.' }, 401)
    return next()
  })
  app.get('/clients/', (c) => c.json(clients.map((client) => ({ ...client, sites: [], agent_count: 1, maintenance_mode: false }))))
  app.get('/agents/', (c) => {
    const client = c.req.query('client')
    return c.json(agents.filter((agent) => client === undefined || String(agent.client) === client).map(toListed))
  })
  const toListed = ({ id, hostname, client, site, plat, isOnline }: (typeof agents)[number]) => ({
    agent_id: id,
    hostname,
    client_name: clients.find((each) => each.id === client)?.name,
    site_name: site,
    plat,
    status: isOnline ? 'online' : 'overdue',
    last_seen: toTimestamp(clock.now() - (isOnline ? 0 : day)),
    monitoring_type: plat === 'linux' ? 'server' : 'workstation',
    needs_reboot: false,
  })
  return app
}
