import { forClient } from '#rules/release.ts'
import type { PsaHttp, PsaRequest } from '#vendors/psa/http.ts'
import type { NewTicket, TicketSearch } from '#vendors/psa/psa.ts'

export const psaBaseUrl = 'https://psa.example.com'

/** A search without a filter, in pages of two. */
export const ticketSearch: TicketSearch = {
  boardIds: [],
  assignedTo: null,
  unassigned: false,
  companyId: null,
  words: [],
  page: 1,
  pageSize: 2,
}

export const newTicket: NewTicket = {
  summary: forClient('VPN'),
  description: forClient('VPN'),
  companyId: '21',
  contactId: null,
  boardId: null,
  reference: 'sf-1',
}

/** A call of the provider's API: its method and path, its query, and the JSON of its body. */
export interface PsaCall {
  call: string
  [parameter: string]: unknown
}
/** Returns the answer to a call, or throws. */
export type PsaAnswer = (call: PsaCall) => unknown

function describeCall({ method = 'GET', url, body }: PsaRequest): PsaCall {
  const { pathname, searchParams } = new URL(url)
  const isJson = body?.startsWith('{') || body?.startsWith('[')
  return {
    call: `${method} ${pathname.replace('/v4_6_release/apis/3.0', '')}`,
    ...Object.fromEntries(searchParams),
    ...(isJson ? { body: JSON.parse(body ?? '') } : {}),
  }
}

/** Return an HTTP client that answers as the test says, and the calls that it has received. */
export function createPsaRecorder(answer: PsaAnswer) {
  const calls: PsaCall[] = []
  const http: PsaHttp = async (request) => {
    const call = describeCall(request)
    calls.push(call)
    return answer(call)
  }
  return { calls, http }
}
