import type { OutboundGuard } from '#vendors/net/guard.ts'
import { createPsaHttp, type PsaHttp } from './http.ts'
import type { OpenPsa, PsaConnection, PsaPort } from './psa.ts'

/** Open connections of both providers. The client of a provider is loaded by the first call, because most requests do not need it. */
export function createPsaOpener(guard: OutboundGuard): OpenPsa {
  return (connection) => {
    const http = createPsaHttp(connection.baseUrl, guard)
    return createLazyPort(() => createClient(connection, http))
  }
}

async function createClient(connection: PsaConnection, http: PsaHttp): Promise<PsaPort> {
  if (connection.provider === 'connectwise') return (await import('./connectwise.ts')).createConnectWise(connection, http)
  return (await import('./halopsa.ts')).createHaloPsa(connection, http)
}

function createLazyPort(create: () => Promise<PsaPort>): PsaPort {
  let client: Promise<PsaPort> | undefined
  const load = () => {
    client ??= create()
    return client
  }
  return {
    checkCredentials: async () => (await load()).checkCredentials(),
    listBoards: async () => (await load()).listBoards(),
    listStatuses: async (boardId) => (await load()).listStatuses(boardId),
    searchCompanies: async (words) => (await load()).searchCompanies(words),
    searchTickets: async (search) => (await load()).searchTickets(search),
    getTicketContext: async (id) => (await load()).getTicketContext(id),
    getTicket: async (id) => (await load()).getTicket(id),
    updateTicket: async (id, change) => (await load()).updateTicket(id, change),
    createTicket: async (ticket) => (await load()).createTicket(ticket),
    findTicket: async (reference) => (await load()).findTicket(reference),
    addTimeEntry: async (entry) => (await load()).addTimeEntry(entry),
    findTimeEntry: async (ticketId, reference) => (await load()).findTimeEntry(ticketId, reference),
    listMembers: async () => (await load()).listMembers(),
    addNote: async (ticketId, note) => (await load()).addNote(ticketId, note),
    findNote: async (ticketId, note) => (await load()).findNote(ticketId, note),
  }
}
