import * as z from 'zod'
import { clip } from '#rules/text/clip.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import type { RunnerHttp } from './http.ts'
import type { Agent, RunnerPort } from './runner.ts'

// The API of the web interface, with a key in X-API-KEY: https://docs.tacticalrmm.com/functions/api/. Paths and fields are those of
// https://github.com/amidaware/tacticalrmm, folder api/tacticalrmm: urls.py, views.py and serializers.py in agents, clients and scripts.

const maxName = 255
const name = z
  .string()
  .nullish()
  .transform((text) => clip(removeInvisible((text ?? '').toWellFormed().replaceAll('\u0000', '')).trim(), maxName))
const time = z
  .string()
  .nullish()
  .transform((text) => {
    const at = Date.parse(text ?? '')
    return Number.isNaN(at) ? null : new Date(at).toISOString()
  })

// An agent's id has at least 21 characters and no slash (AgentIDConverter in tacticalrmm/urls.py).
export const agentIdPattern = /^[A-Za-z0-9_-]{21,100}$/
const ListedAgent = z.object({
  agent_id: z.string().regex(agentIdPattern),
  hostname: name,
  client_name: name,
  site_name: name,
  plat: name,
  status: z.string(),
  last_seen: time,
})
const Client = z.object({ id: z.int(), name })

/** The most items of a list that are looked at. */
const maxItems = 20_000

/** Read the items of a list that have the shape, so that one does not hide the others. */
const items = <S extends z.ZodType>(item: S) =>
  z.custom<unknown[]>(Array.isArray).transform((list) =>
    list.slice(0, maxItems).flatMap((value) => {
      const { success, data } = item.safeParse(value)
      return success ? [data] : []
    }),
  )

/** Call Tactical RMM. Agents that the role of the key may not see are not listed. */
export function createTacticalRmm(http: RunnerHttp): RunnerPort {
  const findClient = async (client: string) => {
    const sought = client.trim().toLowerCase()
    return (await http({ path: '/clients/' }, items(Client))).find((each) => each.name.toLowerCase() === sought)
  }
  return {
    // The list of clients is the smallest answer that needs the key.
    async checkCredentials() {
      await http({ path: '/clients/' }, items(Client))
    },
    async listAgents(client) {
      const found = client === undefined ? undefined : await findClient(client)
      if (client !== undefined && !found) return []
      const agents = await http({ path: found ? `/agents/?client=${found.id}` : '/agents/' }, items(ListedAgent))
      return agents.map(toAgent)
    },
  }
}

function toAgent({ agent_id, hostname, client_name, site_name, plat, status, last_seen }: z.output<typeof ListedAgent>): Agent {
  const names = { name: hostname, client: client_name, site: site_name, platform: plat }
  return { id: agent_id, ...names, is_online: status === 'online', last_seen }
}
