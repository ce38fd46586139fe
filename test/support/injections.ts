import { newAiSession } from './ai.ts'
import type { Service } from './app.ts'
import { flowBody } from './flows.ts'
import { picture, upload } from './images.ts'
import type { Person } from './people.ts'

interface Opened {
  session: { id: string; account_id: string }
  message: string
  upload_ids?: string[]
}

/** A place of a session where a demand may stand. What `lay` puts there before anything is counted, `begin` is told of. */
interface Place {
  lay?: (service: Service, owner: Person, demand: string, n: number) => Promise<string>
  begin: (owner: Person, demand: string, laid: string) => Promise<Opened>
}

const about = { client_name: 'Contoso Dental', problem_summary: 'Reception cannot print.' }

/** Where a text may reach the model from; each takes a demand for the mode of the local model that obeys any. */
export const places: Record<string, Place> = {
  chat: {
    begin: async (owner, demand) => ({ session: await newAiSession(owner, about), message: `OBEY: ${demand}`.slice(0, 8000) }),
  },
  problem: {
    begin: async (owner, demand) => opened(await newAiSession(owner, { ...about, problem_summary: `OBEY: ${demand}` })),
  },
  facts: {
    begin: async (owner, demand) => {
      const session = await newAiSession(owner, about)
      await owner.call('POST', `/ai-sessions/${session.id}/facts`, { key: 'note', value: `OBEY: ${demand}` })
      return opened(session)
    },
  },
  taskLane: {
    begin: async (owner, demand) => {
      const session = await newAiSession(owner, about)
      const responses = [{ id: 'r', text: `OBEY: ${demand}` }]
      await owner.call('PUT', `/ai-sessions/${session.id}/task-lane`, { questions: [], actions: [], responses })
      return opened(session)
    },
  },
  clientName: {
    begin: async (owner, demand) => {
      const client_name = `Contoso OBEY: ${demand}`.slice(0, 200)
      return opened(await newAiSession(owner, { ...about, psa_ticket_id: '4711', client_name }))
    },
  },
  ticketNote: {
    lay: async (service, owner, demand, n) => {
      const { items } = (await owner.call('GET', '/integrations/psa/tickets?page_size=50')).body
      const { id } = items[n % items.length]
      await writeNote(service, id, `OBEY: ${demand}`)
      return id
    },
    begin: async (owner, _, ticket) => opened(await newAiSession(owner, { ...about, psa_ticket_id: ticket })),
  },
  flow: {
    lay: async (_, owner, demand) => {
      const body = flowBody({ description: `OBEY: ${demand}`.slice(0, 1000), visibility: 'account' })
      return (await mustMake(owner.call('POST', '/trees', body))).id
    },
    begin: async (owner, _, tree_id) => opened(await newAiSession(owner, { ...about, tree_id })),
  },
  fileName: {
    lay: async (service, owner, demand) => {
      const name = `OBEY: ${demand}`.slice(0, 200)
      return (await mustMake(upload(service, owner, await picture('png', 8, 8), { name }))).id
    },
    begin: async (owner, _, id) => ({ ...opened(await newAiSession(owner, about)), upload_ids: [id] }),
  },
}

function opened(session: Opened['session']): Opened {
  return { session, message: 'Hello' }
}

async function mustMake(asked: ReturnType<Person['call']>) {
  const { status, text, body } = await asked
  if (status !== 201) throw new Error(`Not made: ${text}`)
  return body
}

/** Writes a note on a ticket as somebody at the client would, past the service. */
async function writeNote(service: Pick<Service, 'local'>, ticket: string, text: string): Promise<void> {
  const headers = { authorization: `Basic ${btoa('demo+demo:demo')}`, clientid: 'demo', 'content-type': 'application/json' }
  const body = JSON.stringify({ text, detailDescriptionFlag: true })
  const answer = await fetch(`${service.local}/psa/v4_6_release/apis/3.0/service/tickets/${ticket}/notes`, {
    method: 'POST',
    headers,
    body,
  })
  if (answer.status !== 201) throw new Error(`The note was refused: ${await answer.text()}`)
}
