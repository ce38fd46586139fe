import { createAiSession } from './ai.ts'
import type { Service } from './app.ts'
import { flowBody } from './flows.ts'
import { createImage, uploadImage } from './images.ts'
import type { Person } from './people.ts'

interface OpenedSession {
  session: { id: string; account_id: string }
  message: string
  upload_ids?: string[]
}

/** A place from which text can reach the model. */
interface InjectionPlace {
  /**
   * Create the row that the session will refer to, before the test reads checksums. Return the id of the row
   * for `openSession`.
   */
  prepare?: (service: Service, owner: Person, demand: string, n: number) => Promise<string>
  /** Open a session with the demand in this place, and return it with the message to send. */
  openSession: (owner: Person, demand: string, preparedId: string) => Promise<OpenedSession>
}

const sessionFields = { client_name: 'Contoso Dental', problem_summary: 'Reception cannot print.' }

/**
 * Every place from which text can reach the model. The fault mode `prompt_injection` makes the local model
 * return the text after `OBEY:`.
 */
export const injectionPlaces: Record<string, InjectionPlace> = {
  chat: {
    openSession: async (owner, demand) => ({
      session: await createAiSession(owner, sessionFields),
      message: `OBEY: ${demand}`.slice(0, 8000),
    }),
  },
  problem: {
    openSession: async (owner, demand) =>
      withGreeting(await createAiSession(owner, { ...sessionFields, problem_summary: `OBEY: ${demand}` })),
  },
  facts: {
    openSession: async (owner, demand) => {
      const session = await createAiSession(owner, sessionFields)
      await owner.call('POST', `/ai-sessions/${session.id}/facts`, { key: 'note', value: `OBEY: ${demand}` })
      return withGreeting(session)
    },
  },
  taskLane: {
    openSession: async (owner, demand) => {
      const session = await createAiSession(owner, sessionFields)
      const responses = [{ id: 'r', text: `OBEY: ${demand}` }]
      await owner.call('PUT', `/ai-sessions/${session.id}/task-lane`, {
        questions: [],
        actions: [],
        responses,
      })
      return withGreeting(session)
    },
  },
  clientName: {
    openSession: async (owner, demand) => {
      const client_name = `Contoso OBEY: ${demand}`.slice(0, 200)
      return withGreeting(
        await createAiSession(owner, { ...sessionFields, psa_ticket_id: '4711', client_name }),
      )
    },
  },
  ticketNote: {
    prepare: async (service, owner, demand, n) => {
      const { items } = (await owner.call('GET', '/integrations/psa/tickets?page_size=50')).body
      const { id } = items[n % items.length]
      await addTicketNote(service, id, `OBEY: ${demand}`)
      return id
    },
    openSession: async (owner, _, psa_ticket_id) =>
      withGreeting(await createAiSession(owner, { ...sessionFields, psa_ticket_id })),
  },
  flow: {
    prepare: async (_, owner, demand) => {
      const body = flowBody({ description: `OBEY: ${demand}`.slice(0, 1000), visibility: 'account' })
      return (await requireCreated(owner.call('POST', '/trees', body))).id
    },
    openSession: async (owner, _, tree_id) =>
      withGreeting(await createAiSession(owner, { ...sessionFields, tree_id })),
  },
  article: {
    prepare: async (_, owner, demand, n) => {
      const article = {
        title: `Zeppelin${n} mooring`,
        content: `OBEY: ${demand}`.slice(0, 5000),
        format: 'markdown',
      }
      await requireCreated(owner.call('POST', '/kb-imports', article))
      return String(n)
    },
    openSession: async (owner, _, n) =>
      withGreeting(
        await createAiSession(owner, { ...sessionFields, problem_summary: `Zeppelin${n} mooring` }),
      ),
  },
  fileName: {
    prepare: async (service, owner, demand) => {
      const name = `OBEY: ${demand}`.slice(0, 200)
      return (await requireCreated(uploadImage(service, owner, await createImage('png', 8, 8), { name }))).id
    },
    openSession: async (owner, _, id) => ({
      ...withGreeting(await createAiSession(owner, sessionFields)),
      upload_ids: [id],
    }),
  },
}

/** Add a message that contains no demand. */
function withGreeting(session: OpenedSession['session']): OpenedSession {
  return { session, message: 'Hello' }
}

async function requireCreated(response: ReturnType<Person['call']>) {
  const { status, text, body } = await response
  if (status !== 201) throw new Error(`The creation was refused: ${text}`)
  return body
}

/** Add a ticket note at the local ConnectWise emulator, as the client's staff would. */
async function addTicketNote(
  service: Pick<Service, 'localOrigin'>,
  ticket: string,
  text: string,
): Promise<void> {
  const headers = {
    authorization: `Basic ${btoa('demo+demo:demo')}`,
    clientid: 'demo',
    'content-type': 'application/json',
  }
  const body = JSON.stringify({ text, detailDescriptionFlag: true })
  const response = await fetch(
    `${service.localOrigin}/psa/v4_6_release/apis/3.0/service/tickets/${ticket}/notes`,
    {
      method: 'POST',
      headers,
      body,
    },
  )
  if (response.status !== 201) throw new Error(`The note was refused: ${await response.text()}`)
}
