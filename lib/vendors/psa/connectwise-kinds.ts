import { apiPath, type Get } from './api-path.ts'
import { PsaError } from './psa.ts'

/** ConnectWise has service tickets and project tickets, with ids from one series and paths of their own. */
export type TicketKind = 'service' | 'project'
export const chargeTypes: Record<TicketKind, string> = { service: 'ServiceTicket', project: 'ProjectTicket' }

export interface TicketKinds {
  /**
   * Call with the kind of a ticket. A ticket that is no service ticket is looked for among those of projects.
   */
  callAs<T>(ticketId: string, call: (kind: TicketKind) => Promise<T>): Promise<T>
  /** Read the kind of a ticket, for calls that do not fail with 404 for the wrong one. */
  readKind(ticketId: string): Promise<TicketKind>
}

/** Remember the kinds of the tickets of one request. */
export function createTicketKinds(get: Get): TicketKinds {
  const knownKinds = new Map<string, TicketKind>()
  const callAs: TicketKinds['callAs'] = async (ticketId, call) => {
    const kind = knownKinds.get(ticketId)
    if (kind) return call(kind)
    const callAndKeep = async (tried: TicketKind) => {
      const result = await call(tried)
      knownKinds.set(ticketId, tried)
      return result
    }
    return callAndKeep('service').catch((error: unknown) => {
      if (!(error instanceof PsaError) || error.kind !== 'missing') throw error
      return callAndKeep('project').catch((projectError: unknown) => {
        // An API member without projects is refused; for it the ticket is missing.
        throw projectError instanceof PsaError && projectError.kind === 'forbidden' ? error : projectError
      })
    })
  }
  const readKind: TicketKinds['readKind'] = (ticketId) =>
    callAs(ticketId, async (kind) => {
      if (!knownKinds.has(ticketId)) await get(apiPath`/${kind}/tickets/${ticketId}`, { fields: 'id' })
      return kind
    })
  return { callAs, readKind }
}
